/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorting in place, for the C library's qsort allocates, and would be counted; and searching. */
#ifndef ALLOCSITE_BASE_SORT_H
#define ALLOCSITE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As qsort; not stable. */
void sort_array(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

/* How many elements have a number below the key; the array is sorted by these, which stand at that offset. */
static inline size_t sorted_below(const void *array, size_t count, size_t size, size_t offset, uint64_t key) {
    size_t first = 0;
    while (count) {
        size_t half = count / 2;
        const void *number = (const char *)array + (first + half) * size + offset;
        bool is_below = *(const uint64_t *)number < key;
        first += is_below ? half + 1 : 0;
        count = is_below ? count - half - 1 : half;
    }
    return first;
}

/* How many have one that is not above it. */
static inline size_t sorted_up_to(const void *array, size_t count, size_t size, size_t offset, uint64_t key) {
    return key == UINT64_MAX ? count : sorted_below(array, count, size, offset, key + 1);
}

#endif
