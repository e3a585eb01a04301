/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts that a block was allocated, was released or changed its owner, in the tallies of the owners. The
 * callers update the tables of blocks. Chunks, which custom allocators take and divide, are counted for their
 * slots but in no total and no peak. */
#ifndef ALLOCSITE_LIB_COUNT_CHANGE_H
#define ALLOCSITE_LIB_COUNT_CHANGE_H

#include "base/arrays.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/table.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "model/counters.h"
#include "profile.h"

#include <stdbool.h>
#include <stdint.h>

/* A block as its owner counts it. slot may be NO_SLOT: then nothing is counted. */
struct share {
    uint32_t slot;
    bool is_chunk;
    uint64_t bytes;
};

/* Return false if memory is out. */
bool change_gain(struct share);
bool change_lose(struct share);

/* change_move counts a realloc of a block, by the same or another owner. change_appear counts a realloc of a
 * block without a known owner. */
bool change_move(struct share from, struct share to);
bool change_appear(struct share);

/* Increments the counter at this offset in struct rare. */
bool change_rare(uint32_t slot, size_t counter);

/* ---- The sizes that a slot requests: how many requests in each size class (model/counters.h). */

/* Set once by the options, before anything is counted. */
extern bool sizes_wanted __attribute__((visibility("hidden")));

/* Counts in the slot's row. Parts have no rows of their own, which would take 512 bytes each. */
void sizes_add(uint32_t slot, uint64_t size);

/* The highest bit of KEY(PROFILE_SIZES_FIRST). */
#define SIZES_SHIFT (KEY_SHIFT + 5)
_Static_assert(KEY(PROFILE_SIZES_FIRST) == 1u << SIZES_SHIFT, "rows of the first chunk");

/* For each chunk of rows the address that row 0 would have, for the hot path; NULL: the chunk does not exist
 * yet. Chunk 0 is at SIZES_SHIFT, because the index of a key's chunk is the highest bit of a sum, as in
 * chunk_place, but unshifted. */
extern char *sizes_rows[SIZES_SHIFT + TABLE_CHUNKS] __attribute__((visibility("hidden")));

/* Counts a size for the key of a slot that has a row. Returns false if the row does not exist yet. */
static inline bool sizes_add_quickly(uint32_t key, uint64_t size) {
    _Static_assert(sizeof(struct profile_sizes) == 1u << (KEY_SHIFT - 1), "a place by one shift");
    char *rows = __atomic_load_n(&sizes_rows[highest_bit(key + KEY(PROFILE_SIZES_FIRST))], __ATOMIC_ACQUIRE);
    if (UNLIKELY(!rows))
        return false;
    uint64_t *counts = ((struct profile_sizes *)(rows + (uint64_t)key / 2))->counts;
    count_shared(counts, size_class(size));
    return true;
}

static inline void sizes_count(uint32_t slot, uint64_t size) {
    if (sizes_wanted)
        sizes_add(slot, size);
}

/* Sets the counts to zero. */
void sizes_reset(void);

/* ---- Birth of the block at an address, with lifetime=1. A separate table, because entries of the shadow
 * table have no space for it. The table has 16 bytes for each address where a block may start. Its regions
 * are made when the first block needs them, one for each remainder of the address modulo 16. So it doubles a
 * heap of the smallest blocks, and costs a page for a large block.
 *
 * Only the thread that holds a block writes and reads its entry, as in the shadow table. A forked child has
 * its parent's. */

/* Returns false if memory is out. */
bool birth_put(const void *p, struct birth);

/* Removes and returns it. */
struct birth birth_take(const void *p);

/* ---- The lifetimes of blocks (lifetimes.c), with lifetime=1: from the allocation or reallocation that gives
 * a block to a slot until the free or reallocation that takes it away. Measured in time, and in allocations
 * and reallocations of the process. Allocations are numbered by one counter, so they are ordered across
 * threads, in agreement with each thread's own order. */

/* Count that a block at p was allocated, or that a block of the slot was released (birth: from birth_take).
 */
void lifetime_begins(const void *p);
void lifetime_ends(uint32_t slot, struct birth);

static inline void lifetime_begin(const void *p) {
    if (births_wanted)
        lifetime_begins(p);
}

static inline void lifetime_end(uint32_t slot, struct birth birth) {
    if (birth.number)
        lifetime_ends(slot, birth);
}

/* Sets the counts to zero. */
void lifetimes_reset(void);

#endif
