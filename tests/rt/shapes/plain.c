/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Compiled without the plugin.
#include "shapes.h"

#include <stdlib.h>

void *plain_get(size_t n) {
    void *p = xmalloc(n); // @ 1 31 0 0 0
    return p;
}

void *plain_through(void *(*get)(size_t), size_t n) {
    void *p = get(n); // @ 1 32 0 0 0
    return p;
}

void *plain_malloc(void *self, size_t n) {
    (void)self;
    return malloc(n); // @ 3 138 0 0 0
}
