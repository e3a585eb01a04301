/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorting in place: the C library's qsort allocates, and would be counted. */
#ifndef ALLOCSITE_BASE_SORT_H
#define ALLOCSITE_BASE_SORT_H

#include <stddef.h>

/* As qsort; not stable. */
void sort_array(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
