/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stddef.h>

__attribute__((malloc)) void *cost_malloc(size_t n);
void cost_free(void *block);
void run(long pairs);
