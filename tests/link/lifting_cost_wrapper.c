/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The wrappers.
#include "lifting_cost.h"

#include <stdlib.h>

#define APART __attribute__((noinline))

APART void *cost_malloc(size_t n) {
    void *block = malloc(n);
    if (!block)
        abort();
    return block;
}

APART void cost_free(void *block) {
    if (block)
        free(block);
}
