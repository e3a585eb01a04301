/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs of malloc and free and nothing else: the least that a program can do besides. */
#include <stdlib.h>

int main(int count, char **arguments) {
    long pairs = count > 1 ? atol(arguments[1]) : 20000000;
    for (long i = 0; i < pairs; i++) {
        void *volatile p = malloc(24 + (size_t)(i & 7) * 16);
        free(p);
    }
    return 0;
}
