/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hash table of numbers that stand for what is kept elsewhere: slots, steps. It only grows, by tables of
 * doubling size, of which nothing ever moves, so that half to nine tenths of its memory are in use.
 *
 * A place of 4 bytes holds a number, and in the bits above a part of the hash, so that what is not the same
 * is seldom looked at. What hashes to a cache line that is full in one table is in the next one: to go past
 * it takes some 30 instructions.
 *
 * Lock-free and safe in signal handlers. A forked child goes on with its parent's. */
#ifndef ALLOCSITE_LIB_BASE_INDEX_H
#define ALLOCSITE_LIB_BASE_INDEX_H

#include "lib/base/table.h"

#include <stdbool.h>

struct index {
    struct table places; /* INDEX_OF */
    unsigned bits;       /* of a number */
};

/* For numbers of so many bits; with as many places as it begins with, a power of two from 16 on. */
#define INDEX_OF(number_bits, count)                                                                         \
    { .places = {.element = sizeof(uint32_t), .first = (count)}, .bits = (number_bits) }

/* Whether the number stands for what key is. */
typedef bool index_same(uint32_t number, const void *key);

/* What is looked for, and where that ended. */
struct index_seek {
    uint64_t hash; /* of the key: all bits good */
    index_same *same;
    const void *key;
    uint32_t chunk, word; /* those before it were all looked at */
};

/* The number that stands for the key; 0: none does. */
uint32_t index_find(const struct index *, struct index_seek *);

/* After index_find: enters number, which is not 0 and stands for the key, unless another thread has entered
 * one that does. Returns the one that is there now; 0: no memory, or the number has too many bits. */
uint32_t index_add(struct index *, struct index_seek *, uint32_t number);

#endif
