/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A custom allocator of small blocks at multiples of 4. The notes have the number of freed blocks, and of allocations
 * during their lives. Its site is its first line. */
#include <allocsite.h>
#include <stdlib.h>
#include <string.h>

static char *chunk, *next;

ALLOCSITE_ALLOCATOR("alloc size=1") __attribute__((noinline)) void *take(size_t size) { // = 65 2017
    if (!chunk)
        next = chunk = malloc(4096);
    void *p = next;
    next += (size + 3) & -4u;
    return p;
}

ALLOCSITE_ALLOCATOR("free pointer=1") __attribute__((noinline)) void give(void *p) {
    memset(p, 0, 1);
}

static void *volatile kept[64];

int main(void) {
    for (int i = 0; i < 64; i++)
        kept[i] = take(4);
    for (int i = 64; i--;)
        give(kept[i]);
    kept[0] = take(12);
    kept[1] = malloc(8); // = 1 0
    free(kept[1]);
    give(kept[0]);
    return 0;
}
