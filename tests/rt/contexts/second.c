/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls back. */
#include <stddef.h>

typedef void *callback(size_t);

void *second(callback *function) {
    void *p = function(30);
    __asm__ volatile("" : "+r"(p));
    return p;
}
