/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two wrappers of the same code, called by name and by pointer.
#include <stdlib.h>

#define APART __attribute__((noinline))

APART void *one(size_t n) {
    void *block = malloc(n);
    if (!block)
        abort();
    return block;
}

APART void *other(size_t n) {
    void *block = malloc(n);
    if (!block)
        abort();
    return block;
}

static void *(*volatile pointers[])(size_t) = {one, other};

int main(void) {
    free(one(1));         // SITE 1 1
    free(other(2));       // SITE 1 2
    free(pointers[0](3)); // SITE 1 3
    free(pointers[1](4)); // SITE 1 4
}
