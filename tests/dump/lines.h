/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stddef.h>

void *need(size_t size);
char *copy(const char *text);
void grow(void *place, size_t size);
void *stored(void);
