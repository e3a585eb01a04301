/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays: sorting and searching, chunks that never move, and tables by enumerator. */
#ifndef ALLOCSITE_BASE_ARRAYS_H
#define ALLOCSITE_BASE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sorting in place, for the C library's qsort allocates, and would be counted; comparing and searching.
 */

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

/* ---- Bits of words. */

/* The number of the highest one; of 0 there is none. Compilers extend what their own function returns, which
 * the instruction has done. */
static inline uint64_t highest_bit(uint64_t word) {
    uint64_t number;
    __asm__("bsrq %1, %0" : "=r"(number) : "r"(word) : "cc");
    return number;
}

/* ---- Arrays that grow without ever moving, in memory and in profiles: chunk k holds first << k elements,
 * from element first * (2^k - 1) on. */

static inline uint64_t chunk_size(uint64_t first, unsigned chunk) {
    return first << chunk;
}

/* Of chunk + 1: where it ends. */
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

/* Behind a table without a bound of its own: an enumerator that is added without an entry there would index
 * past its end. */
#define COVERS(table, count) _Static_assert(sizeof(table) / sizeof *(table) == (count), "an entry for each")

/* ---- Arrays that grow. */

/* Makes room for one more element behind count; *room is that of the array, at first 0 with NULL. New
 * elements are not initialized. False: out of memory, and the array is as it was. */
static inline bool array_grow(void *array_pointer, size_t count, size_t *room, size_t element) {
    void **array = array_pointer;
    if (count < *room)
        return true;
    size_t larger = *room ? *room * 2 : 16;
    void *moved = larger <= SIZE_MAX / 2 / element ? realloc(*array, larger * element) : NULL;
    if (!moved)
        return false;
    *array = moved;
    *room = larger;
    return true;
}

#endif
