/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorting in place, for the C library's qsort allocates, and would be counted; comparing and searching. */
#ifndef ALLOCSITE_BASE_SORT_H
#define ALLOCSITE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* As qsort; not stable. */
void sort_array(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

static inline int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Of elements that begin with an uint64_t. */
static inline int compare_first_u64(const void *a, const void *b) {
    return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* NULL comes first. */
static inline int compare_text(const char *a, const char *b) {
    return a == b ? 0 : a && b ? strcmp(a, b) : !b - !a;
}

/* NULL is as if it were empty. */
static inline int compare_names(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

/* NULL is like NULL alone. */
static inline bool is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

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

/* The same for any order: how many elements the key comes after. */
static inline size_t sorted_before(const void *array, size_t count, size_t size, const void *key,
                                   int (*compare)(const void *key, const void *element)) {
    size_t first = 0;
    while (count) {
        size_t half = count / 2;
        bool is_below = compare(key, (const char *)array + (first + half) * size) > 0;
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
