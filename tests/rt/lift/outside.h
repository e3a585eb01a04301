/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What stands in outside.c. The declarations tell which functions are wrappers.
#include <stddef.h>

__attribute__((malloc)) void *outside_malloc(size_t n);
__attribute__((alloc_size(2))) void *outside_realloc(void *p, size_t n);
__attribute__((malloc)) void *outside_jump(size_t n);
void *outside_other(size_t n);
