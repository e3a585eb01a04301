/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elsewhere.h"

void *px::checked(size_t n) {
    if (n > 1000)
        throw 1;
    return px_malloc(n);
}
