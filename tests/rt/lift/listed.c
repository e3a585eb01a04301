/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrappers, one of which calls another and one of which is static, and who calls them, with how many blocks. */
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

NOINLINE void *xmalloc(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

NOINLINE void *xcalloc(size_t count, size_t size) {
    void *block = xmalloc(count * size);
    return memset(block, 0, count * size);
}

NOINLINE static void *xrealloc(void *old, size_t size) {
    void *block = realloc(old, size);
    if (!block)
        abort();
    return block;
}

// Optimized it leaves by a jump: no frame of it is on the stack.
NOINLINE void *xtailalloc(const size_t *size) {
    return malloc(*size);
}

static void *volatile kept[4];

NOINLINE static void load(void) {
    kept[0] = xmalloc(10); // 1 block of 10
    kept[1] = xcalloc(2, 20); // 1 block of 40
    kept[1] = xrealloc(kept[1], 100); // 1 block of 100
    kept[2] = malloc(7); // 1 block of 7
    size_t size = 50;
    kept[3] = xtailalloc(&size); // 1 block of 50
}

int main(void) {
    for (int i = 0; i < 5; i++)
        load();
    free(xmalloc(30)); // 1 block of 30
    return 0;
}
