/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes the addresses of allocator functions, which in a non-PIE executable are the addresses of its PLT
 * stubs. */
#include <stdio.h>
#include <stdlib.h>

static void *(*volatile const take)(size_t) = malloc;
static void (*volatile const give)(void *) = free;

int main(void) {
    for (int i = 0; i < 100; i++)
        give(take(10));
    puts("done");
    return 3;
}
