/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays: sorting, searching, growing in place, tables by enumerator. */
#ifndef ALLOCSITE_BASE_ARRAYS_H
#define ALLOCSITE_BASE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sorting in place (the C library's qsort allocates, and would be counted), comparing and searching. */

/* Like qsort; not stable. */
void sort_array(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

static inline int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* For elements that begin with an uint64_t. */
static inline int compare_first_u64(const void *a, const void *b) {
    return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* NULL sorts first. */
static inline int compare_text(const char *a, const char *b) {
    return a == b ? 0 : a && b ? strcmp(a, b) : !b - !a;
}

/* NULL equals "". */
static inline int compare_names(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

/* NULL equals only NULL. */
static inline bool is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns how many elements have a number below the key. The array must be sorted by these numbers, which are
 * at this offset in each element. */
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

/* Like sorted_below, for any order: returns how many elements sort before the key. */
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

/* Like sorted_below, but returns how many have a number up to the key. */
static inline size_t sorted_up_to(const void *array, size_t count, size_t size, size_t offset, uint64_t key) {
    return key == UINT64_MAX ? count : sorted_below(array, count, size, offset, key + 1);
}

/* ---- Bits of words. */

/* Returns the number of the highest set bit; undefined for 0. In assembly, because compilers would extend the
 * result of their builtin, which bsrq has already done. */
static inline uint64_t highest_bit(uint64_t word) {
    uint64_t number;
    __asm__("bsrq %1, %0" : "=r"(number) : "r"(word) : "cc");
    return number;
}

/* ---- Arrays that grow without moving, in memory and in profiles. Chunk k holds first << k elements,
 * starting with element first * (2^k - 1). */

static inline uint64_t chunk_size(uint64_t first, unsigned chunk) {
    return first << chunk;
}

/* The end of a chunk is the start of the next one. */
static inline uint64_t chunk_start(uint64_t first, unsigned chunk) {
    return (first << chunk) - first;
}

struct chunk_place {
    unsigned chunk;
    uint64_t offset; /* in elements */
};

static inline struct chunk_place chunk_place(uint64_t first, uint64_t index) {
    unsigned chunk = (unsigned)highest_bit(index / first + 1);
    return (struct chunk_place){chunk, index - chunk_start(first, chunk)};
}

/* ---- Tables by enumerator. */

/* Checks a table without a bound: a new enumerator without an entry would be read past its end. */
#define COVERS(table, count) _Static_assert(sizeof(table) / sizeof *(table) == (count), "an entry for each")

/* ---- Arrays that grow. */

/* Makes room for one more element after `count`. *room is the capacity of the array, initially 0 with a NULL
 * array. New elements are not initialized. Returns false if memory is out; the array is then unchanged. */
static inline bool array_grow(void *array_pointer, size_t count, size_t *capacity, size_t element) {
    void **array = array_pointer;
    if (count < *capacity)
        return true;
    size_t larger = *capacity ? *capacity * 2 : 16;
    void *moved = larger <= SIZE_MAX / 2 / element ? realloc(*array, larger * element) : NULL;
    if (!moved)
        return false;
    *array = moved;
    *capacity = larger;
    return true;
}

#endif
