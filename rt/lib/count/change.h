/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting that a block came, went or changed hands, in the tallies of its owners; what stands in the tables
 * of blocks is the callers' matter. Backing, which custom allocators take to hand it out in parts, is counted
 * in its slots and in no total: neither in what is live nor in the peak. */
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

/* A block as its owner counts it. slot: may be NO_SLOT, for which nothing is counted. */
struct share {
    uint32_t slot;
    bool is_backing;
    uint64_t bytes;
};

/* False: no memory. */
bool change_gain(struct share);
bool change_lose(struct share);

/* A realloc of a block of one owner to one of another or the same; or of one that nobody is known to own. */
bool change_move(struct share from, struct share to);
bool change_appear(struct share);

/* One more of the counter with that offset in struct rare. */
bool change_rare(uint32_t slot, size_t counter);

/* ---- The shape of what a slot asks for: how many requests of each class of sizes (model/counters.h). */

/* Set once by the options, before anything is counted. */
extern bool sizes_wanted __attribute__((visibility("hidden")));

/* For the slot's row: parts have none of their own, which would take 512 bytes for each. */
void sizes_add(uint32_t slot, uint64_t size);

/* A block was counted for one slot and is another's. */
void sizes_disown(uint32_t from, uint32_t to, uint64_t size);

/* The highest bit of KEY(PROFILE_SIZES_FIRST). */
#define SIZES_SHIFT (KEY_SHIFT + 5)
_Static_assert(KEY(PROFILE_SIZES_FIRST) == 1u << SIZES_SHIFT, "rows of the first chunk");

/* Where row 0 would be, of each chunk of rows, for the hot path; NULL: the chunk is not made yet. Chunk 0 is
 * at SIZES_SHIFT: the place of a key's is the highest bit of a sum, as in chunk_place, but not shifted. */
extern char *sizes_rows[SIZES_SHIFT + TABLE_CHUNKS] __attribute__((visibility("hidden")));

/* Counts a size for the key of a slot that has a row. False: the row has to be made. */
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

/* Counts from zero again. */
void sizes_reset(void);

/* ---- When the block at an address came, with lifetime=1: beside the shadow table, whose entries
 * have no room for it, and only where it is asked for. 16 bytes for each place where a block may start, made
 * region by region when a block in it is first noted, for each rest of addresses modulo 16 apart: so a heap
 * of the smallest blocks is doubled by it, and a large block costs a page.
 *
 * An entry is written and read by whoever holds the block, as those of the shadow table. A forked child has
 * its parent's. */

/* False: no memory. */
bool birth_put(const void *p, struct birth);

/* Takes it out. */
struct birth birth_take(const void *p);

/* ---- How long blocks live (lifetimes.c), with lifetime=1: from the allocation or reallocation that a slot
 * has them by to the free or the reallocation that takes them from it. In allocations and reallocations of
 * the process meanwhile, for which each takes a number; and in time. Those of several threads take their
 * numbers from one counter: so they have an order, which is each thread's own too. */

/* A block has come, which is there; and one of the slot is gone, as birth_take found it. */
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

/* Counts from zero again. */
void lifetimes_reset(void);

#endif
