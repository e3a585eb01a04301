/* A hash table of numbers that stand for what is kept elsewhere: slots, names. It only grows, by tables of
 * doubling size, of which nothing ever moves.
 *
 * Lock-free and safe in signal handlers. A forked child goes on with its parent's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_INDEX_H
#define ALLOCSITE_INDEX_H

#include "table.h"

#include <stdbool.h>

struct index {
    struct table places; /* INDEX_OF */
};

/* As many places as it begins with, a power of two; those that nothing hashes to cost nothing but address
 * space. */
#define INDEX_OF(places)                                                                                     \
    {                                                                                                        \
        { .element = sizeof(uint64_t), .first = (places) }                                                   \
    }

/* Whether the number stands for what key is. */
typedef bool index_same(uint32_t number, const void *key);

/* The number that stands for key; 0: none does. */
uint32_t index_find(struct index *, uint64_t hash, index_same *, const void *key);

/* Enters number, which is not 0 and stands for key, unless another thread has entered one that does. Returns
 * the one that is there now; 0: no memory. */
uint32_t index_add(struct index *, uint64_t hash, index_same *, const void *key, uint32_t number);

#endif
