/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C23's sized free functions. Few C libraries have them. */
#include <stdio.h>
#include <stdlib.h>

void free_sized(void *, size_t);
void free_aligned_sized(void *, size_t align, size_t);

static void (*volatile escaped)(void *, size_t) = free_sized;
static void (*volatile escaped_aligned)(void *, size_t, size_t) = free_aligned_sized;
static void *volatile block;

int main(void) {
    for (int i = 0; i < 3; i++) {
        block = malloc(10);    /* @ 3 30 0 0 0 */
        free_sized(block, 10); /* @ any */
    }
    block = aligned_alloc(64, 128);     /* @ 1 128 0 0 0 */
    free_aligned_sized(block, 64, 128); /* @ any */
    block = malloc(20);                 /* @ 1 20 0 0 0 */
    escaped(block, 20);
    block = aligned_alloc(64, 256); /* @ 1 256 0 0 0 */
    escaped_aligned(block, 64, 256);
    free_sized(NULL, 0);
    puts("done"); /* @ any */
    return 3;
}
