/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An array that grows without ever moving: chunks of doubling size, mapped when they are first asked for.
 * Lock-free and safe in signal handlers; what is in it lives as long as the process. */
#ifndef ALLOCSITE_LIB_BASE_TABLE_H
#define ALLOCSITE_LIB_BASE_TABLE_H

#include "lib/base/os.h"
#include "profile.h"

#include <stdbool.h>
#include <stdint.h>

#define TABLE_CHUNKS 22

/* Memory that becomes a part of the profile (store/store.h has them). */
struct table_areas {
    uint32_t (*add)(enum profile_kind, uint32_t index, uint64_t first, void *address, size_t size);
    void (*drop)(uint32_t area);
    void (*tell)(enum profile_kind, uint32_t index, size_t offset, const void *bytes, size_t size);
};

struct table {
    uint32_t element; /* size of an element in bytes */
    uint32_t first;   /* elements of chunk 0, a power of two (base/chunks.h) */
    enum os_fork fork;
    const struct table_areas *areas; /* of the profile, that its chunks are; NULL: none */
    enum profile_kind kind;          /* of these */
    char *chunks[TABLE_CHUNKS];
};

/* The element, zeroed at first. NULL: no memory, or the index is beyond all chunks. */
void *table_at(struct table *, uint32_t index);

/* The element if its chunk is there, else NULL; maps nothing. */
void *table_peek(const struct table *, uint32_t index);

/* Bytes that were written to an element stand in the profile's file too; for kinds that a forked child goes
 * on from (store/store.h). */
void table_tell(const struct table *, uint32_t index, size_t offset, const void *bytes, size_t size);

/* ---- A hash table of numbers that stand for what is kept elsewhere: slots, names. It only grows, by tables
 * of doubling size, of which nothing ever moves.
 *
 * Lock-free and safe in signal handlers. A forked child goes on with its parent's.
 */

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

/* ---- Memory for what is of any size. */

/* Zeroed memory that is never given back; NULL: none. */
void *arena_take(size_t size);

#endif
