/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Compiled without the plugin.
#include "thrown.h"

#include <cstdlib>

void *thrown(std::size_t n) {
    if (n > 9)
        throw 1;
    return std::malloc(n);
}

void *after(std::size_t n) {
    return std::malloc(n);
}
