/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Wrappers of another unit, which is compiled with the plugin, or without, or into a library.
#include "outside.h"

#include <setjmp.h>
#include <stdlib.h>

extern jmp_buf away;

void *outside_malloc(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}

void *outside_realloc(void *p, size_t n) {
    return realloc(p, n);
}

void *outside_jump(size_t n) {
    void *p = malloc(n);
    if (n > 5)
        longjmp(away, 1);
    return p;
}

// Says nothing of itself. The block goes through a variable that others see, so it is no wrapper either.
void *outside_kept;

void *outside_other(size_t n) {
    outside_kept = malloc(n);
    return outside_kept;
}
