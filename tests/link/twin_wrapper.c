/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A wrapper that remembers who called it.
#include <stdlib.h>

#ifndef KIND
#define KIND
#endif

KIND const void *twin_caller;

__attribute__((noinline)) KIND void *twin_malloc(size_t n) {
    twin_caller = __builtin_return_address(0);
    void *block = malloc(n);
    if (!block)
        abort();
    return block;
}
