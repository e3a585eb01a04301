/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An array that grows without moving: chunks of doubling size, mapped at first use. Lock-free and safe in
 * signal handlers. Its elements live as long as the process. */
#ifndef ALLOCSITE_LIB_BASE_TABLE_H
#define ALLOCSITE_LIB_BASE_TABLE_H

#include "base/arrays.h"
#include "lib/base/os.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_CHUNKS 22

/* Functions that make memory an area of the profile (store/store.h). */
struct table_areas {
    uint32_t (*add)(enum profile_kind, uint32_t index, uint64_t first, void *address, size_t size);
    void (*drop)(uint32_t area);
};

struct table {
    uint32_t element; /* bytes of an element */
    uint32_t first;   /* elements of chunk 0, a power of two (base/arrays.h) */
    enum os_fork fork;
    const struct table_areas *areas; /* makes each chunk an area of the profile; NULL: none are */
    enum profile_kind kind;          /* of these areas */
    char *chunks[TABLE_CHUNKS];
};

/* Returns the element, zeroed at first; NULL if memory is out or the index exceeds all chunks. */
void *table_at(struct table *, uint32_t index);

/* Returns the element if its chunk is mapped, otherwise NULL. */
void *table_peek(const struct table *, uint32_t index);

/* Like table_peek. Constant `first` and `element` avoid a division. */
static inline void *table_peek_here(const struct table *table, uint32_t first, uint32_t element,
                                    uint32_t index) {
    struct chunk_place at = chunk_place(first, index);
    if (at.chunk >= TABLE_CHUNKS)
        return NULL;
    char *chunk = __atomic_load_n(&table->chunks[at.chunk], __ATOMIC_ACQUIRE);
    return chunk ? chunk + at.offset * element : NULL;
}

/* ---- Memory of any size. */

/* Returns zeroed memory that is never freed; NULL if memory is out. */
void *arena_take(size_t size);

/* ---- A hash table of numbers, such as slots or steps, that stand for records kept elsewhere. It only grows:
 * tables of doubling size are added and nothing moves. Half to nine tenths of its memory are used.
 *
 * A place of 4 bytes holds a number, and in the upper bits a part of the hash, so that different keys are
 * seldom compared. A key whose cache line is full in one table is looked up in the next one, which takes some
 * 30 instructions for each.
 *
 * Lock-free and safe in signal handlers. A forked child continues with its parent's table. */

struct index {
    struct table places; /* initialized by INDEX_OF */
    unsigned bits;       /* bits of a number */
};

/* Initializes an index for numbers of number_bits bits. count: places at first, a power of two from 16 on. */
#define INDEX_OF(number_bits, count)                                                                         \
    { .places = {.element = sizeof(uint32_t), .first = (count)}, .bits = (number_bits) }

/* Returns whether the number stands for the key. */
typedef bool index_same(uint32_t number, const void *key);

/* A search: the key, and where it ended. */
struct index_seek {
    uint64_t hash; /* of the key; all bits must be well distributed */
    index_same *same;
    const void *key;
    uint32_t chunk, word; /* earlier words were compared, ... */
    uint32_t *place;      /* ... and this one is free; NULL: its chunk is not mapped yet */
};

/* Returns the number of the key; 0 if it has none. */
uint32_t index_find(const struct index *, struct index_seek *);

/* Like index_find, for a key that cannot be in the index and that no other thread adds. Returns 0. */
uint32_t index_end(const struct index *, struct index_seek *);

/* Adds number, not 0, for the key of a search that ended without result. Returns the number that the index
 * now has for the key, which another thread may have added; 0 if memory is out or the number has too many
 * bits. */
uint32_t index_add(struct index *, struct index_seek *, uint32_t number);

#endif
