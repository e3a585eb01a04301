/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that the compiler copies: an unrolled loop, and a function that is inlined twice. */
#include <stdio.h>
#include <stdlib.h>

static void *volatile kept;

static inline __attribute__((always_inline)) void keep(size_t size) {
    kept = malloc(size); /* inlined */
    free(kept);
}

int main(void) {
#pragma clang loop unroll(full)
    for (size_t i = 0; i < 6; i++) {
        kept = malloc(100 + i); /* unrolled */
        free(kept);
    }
    keep(30);
    keep(40);
    puts("done");
    return 3;
}
