/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The dynamic loader resolves a function (IFUNC) before it has set up TLS. */
#include <stdio.h>
#include <stdlib.h>

static void *volatile kept;

static int three(void) {
    return 3;
}

static int (*resolve(void))(void) {
    kept = malloc(10);                   // @ 1 10 0 0 0
    kept = realloc(kept, 20);            // @ 0 0 1 20 0
    void *volatile freed = calloc(3, 7); // @ 1 21 0 0 0
    free(freed);                         // @ any
    return three;
}

static int decided(void) __attribute__((ifunc("resolve")));

int main(void) {
    free(kept); // @ any
    for (int i = 0; i < 5; i++) {
        kept = malloc(100); // @ 5 500 0 0 0
        free(kept);         // @ any
    }
    puts("done");
    return decided();
}
