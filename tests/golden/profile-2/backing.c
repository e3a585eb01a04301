/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What make.sh makes the profile of: custom allocators, of which one takes its chunks from malloc and one from the
 * system. */
#include <allocsite.h>
#include <stdlib.h>
#include <sys/mman.h>

struct arena {
    char *at, *end;
};

ALLOCSITE_ALLOCATOR("alloc size=2") void *arena_take(struct arena *, size_t);
ALLOCSITE_ALLOCATOR("free pointer=2") void arena_give(struct arena *, void *);
ALLOCSITE_ALLOCATOR("alloc size=1") void *page_take(size_t);

__attribute__((noinline)) void *arena_take(struct arena *arena, size_t size) {
    enum { CHUNK = 4096 };
    if ((size_t)(arena->end - arena->at) < size) {
        arena->at = malloc(CHUNK);
        arena->end = arena->at + CHUNK;
    }
    void *p = arena->at;
    arena->at += (size + 15) & ~(size_t)15;
    return p;
}

__attribute__((noinline)) void arena_give(struct arena *arena, void *p) {
    (void)arena;
    (void)p;
}

__attribute__((noinline)) void *page_take(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void *volatile sink;

int main(void) {
    struct arena arena = {NULL, NULL};
    for (int i = 0; i < 100; i++) {
        sink = arena_take(&arena, 100);
        if (i % 2)
            arena_give(&arena, sink);
    }
    sink = page_take(8192);
    free(sink = malloc(3));
    return sink == NULL;
}
