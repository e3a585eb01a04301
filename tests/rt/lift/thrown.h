/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cstddef>

__attribute__((malloc)) void *thrown(std::size_t n);
void *after(std::size_t n);
