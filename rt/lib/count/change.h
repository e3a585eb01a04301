/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting that a block came, went or changed hands, in the tallies of its owners; what stands in the tables
 * of blocks is the callers' matter. Backing, which custom allocators take to hand it out in parts, is counted
 * in its slots and in no total: neither in what is live nor in the peak. */
#ifndef ALLOCSITE_LIB_COUNT_CHANGE_H
#define ALLOCSITE_LIB_COUNT_CHANGE_H

#include "base/chunks.h"
#include "lib/base/table.h"
#include "model/pair_kind.h"
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

bool change_fail(uint32_t slot);
bool change_temporary(uint32_t slot);
bool change_repeat(uint32_t slot);

/* ---- The shape of what a slot asks for: how many requests of each class of sizes (model/pair_kind.h). */

/* Set once by the options, before anything is counted. */
extern bool sizes_wanted __attribute__((visibility("hidden")));

/* For the slot's row: parts have none of their own, which would take 512 bytes for each. */
void sizes_add(uint32_t slot, uint64_t size);

/* struct profile_sizes by row. */
extern struct table shapes __attribute__((visibility("hidden")));

/* Of a slot that has a row. NULL: it has to be made. */
static inline struct profile_sizes *sizes_at(uint32_t row) {
    struct chunk_place at = chunk_place(PROFILE_SIZES_FIRST, row);
    char *chunk = __atomic_load_n(&shapes.chunks[at.chunk], __ATOMIC_ACQUIRE);
    return chunk ? (struct profile_sizes *)chunk + at.offset : NULL;
}

static inline void sizes_add_to(struct profile_sizes *shape, uint64_t size) {
    __atomic_fetch_add(&shape->counts[size_class(size)], 1, __ATOMIC_RELAXED);
}

static inline void sizes_count(uint32_t slot, uint64_t size) {
    if (sizes_wanted)
        sizes_add(slot, size);
}

/* SIZE_CLASSES counts. */
const uint64_t *sizes_of(uint32_t slot);

/* Counts from zero again. */
void sizes_reset(void);

#endif
