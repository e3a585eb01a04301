/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An array that grows without ever moving: chunks of doubling size, mapped when they are first asked for.
 * Lock-free and safe in signal handlers; what is in it lives as long as the process. */
#ifndef ALLOCSITE_LIB_BASE_TABLE_H
#define ALLOCSITE_LIB_BASE_TABLE_H

#include "base/arrays.h"
#include "lib/base/os.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_CHUNKS 22

/* Memory that becomes a part of the profile (store/store.h has them). */
struct table_areas {
    uint32_t (*add)(enum profile_kind, uint32_t index, uint64_t first, void *address, size_t size);
    void (*drop)(uint32_t area);
};

struct table {
    uint32_t element; /* size of an element in bytes */
    uint32_t first;   /* elements of chunk 0, a power of two (base/arrays.h) */
    enum os_fork fork;
    const struct table_areas *areas; /* of the profile, that its chunks are; NULL: none */
    enum profile_kind kind;          /* of these */
    char *chunks[TABLE_CHUNKS];
};

/* The element, zeroed at first. NULL: no memory, or the index is beyond all chunks. */
void *table_at(struct table *, uint32_t index);

/* The element if its chunk is there, else NULL; maps nothing. */
void *table_peek(const struct table *, uint32_t index);

/* The same in the code that calls it, where the table's first and element are known: without a division. */
static inline void *table_peek_here(const struct table *table, uint32_t first, uint32_t element,
                                    uint32_t index) {
    struct chunk_place at = chunk_place(first, index);
    if (at.chunk >= TABLE_CHUNKS)
        return NULL;
    char *chunk = __atomic_load_n(&table->chunks[at.chunk], __ATOMIC_ACQUIRE);
    return chunk ? chunk + at.offset * element : NULL;
}

/* ---- Memory for what is of any size. */

/* Zeroed memory that is never given back; NULL: none. */
void *arena_take(size_t size);

/* ---- A hash table of numbers that stand for what is kept elsewhere: slots, steps. It only grows, by tables
 * of doubling size, of which nothing ever moves, so that half to nine tenths of its memory are in use.
 *
 * A place of 4 bytes holds a number, and in the bits above a part of the hash, so that what is not the same
 * is seldom looked at. What hashes to a cache line that is full in one table is in the next one: to go past
 * it takes some 30 instructions.
 *
 * Lock-free and safe in signal handlers. A forked child goes on with its parent's. */

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
    uint32_t chunk, word; /* those before it were all looked at, ... */
    uint32_t *place;      /* ... and it was free; NULL: there is none yet */
};

/* The number that stands for the key; 0: none does. */
uint32_t index_find(const struct index *, struct index_seek *);

/* The same of a key that no number stands for, nor can by another thread; returns 0. */
uint32_t index_end(const struct index *, struct index_seek *);

/* After index_find or index_end: enters number, which is not 0 and stands for the key, unless another thread
 * has entered one that does. Returns the one that is there now; 0: no memory, or the number has too many
 * bits. */
uint32_t index_add(struct index *, struct index_seek *, uint32_t number);

#endif
