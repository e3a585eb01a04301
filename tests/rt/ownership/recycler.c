/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An allocator behind allocsite that takes no lock, reuses its memory, and may be left at any instruction, which loses
 * at most one cell. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HEAP_SIZE ((size_t)4 << 30)
#define CELL      128 /* bytes, including 16 before the block for its size */

static _Atomic uint64_t spare; /* tag << 32 | number of the first spare cell; 0: none */
static _Atomic size_t used;
static char *heap;

/* Called before any second thread exists. */
static char *carve(size_t size) {
    if (!heap) {
        heap =
            mmap(NULL, HEAP_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        used = CELL;
    }
    size_t at = atomic_fetch_add(&used, size);
    return at + size <= HEAP_SIZE ? heap + at : NULL;
}

static char *take_spare(void) {
    uint64_t first = spare;
    while ((uint32_t)first) {
        char *cell = heap + (size_t)(uint32_t)first * CELL;
        uint64_t rest = ((first >> 32) + 1) << 32 | *(volatile uint32_t *)(cell + 8);
        if (atomic_compare_exchange_weak(&spare, &first, rest))
            return cell;
    }
    return NULL;
}

static void *allocate(size_t align, size_t n) {
    size_t whole = (n + 16 + CELL - 1) / CELL * CELL;
    char *cell = whole == CELL && align <= 16 ? take_spare() : NULL;
    if (n > HEAP_SIZE / 2 || (!cell && !(cell = carve(align > 16 ? whole + align : whole)))) {
        errno = ENOMEM;
        return NULL;
    }
    char *p = align > 16 ? (char *)(((uintptr_t)cell + 16 + align - 1) & -align) : cell + 16;
    *(size_t *)(p - 16) = n | (p == cell + 16 ? 0 : (size_t)1 << 63);
    return p;
}

void *malloc(size_t n) {
    return allocate(16, n);
}

void *calloc(size_t n, size_t size) {
    size_t bytes;
    void *p = allocate(16, __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void free(void *p) {
    size_t n = p ? *(size_t *)((char *)p - 16) : CELL;
    if (n > CELL - 16)
        return;
    char *cell = (char *)p - 16;
    uint64_t first = spare, next;
    do {
        *(volatile uint32_t *)(cell + 8) = (uint32_t)first;
        next = ((first >> 32) + 1) << 32 | (uint32_t)((size_t)(cell - heap) / CELL);
    } while (!atomic_compare_exchange_weak(&spare, &first, next));
}

void *realloc(void *old, size_t n) {
    void *p = allocate(16, n);
    if (p && old) {
        size_t kept = *(size_t *)((char *)old - 16) << 1 >> 1;
        memcpy(p, old, kept < n ? kept : n);
        free(old);
    }
    return p;
}

void *aligned_alloc(size_t align, size_t n) {
    return allocate(align, n);
}

void *memalign(size_t align, size_t n) {
    return allocate(align, n);
}

int posix_memalign(void **p, size_t align, size_t n) {
    void *block = allocate(align, n);
    if (block)
        *p = block;
    return block ? 0 : ENOMEM;
}
