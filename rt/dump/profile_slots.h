/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters of a profile's slots, one slot after the other. */
#ifndef ALLOCSITE_PROFILE_SLOTS_H
#define ALLOCSITE_PROFILE_SLOTS_H

#include "../lib/counters.h"
#include "profile_areas.h"

/* Goes over the slots that some area knows, by rising number, in stretches that the same areas know. */
struct profile_sweep {
    const struct profile_areas *areas;
    const struct profile_span **active; /* the areas that know the stretch */
    size_t active_count;
    size_t next; /* of areas->spans */
    uint64_t first, end;
};

/* False: out of memory. */
bool profile_sweep_open(struct profile_sweep *, const struct profile_areas *);
void profile_sweep_close(struct profile_sweep *);

/* Goes on to the next stretch: slots first to end - 1. False: there is none. */
bool profile_sweep_next(struct profile_sweep *);

/* Which blocks are to be counted: one, or all. */
#define PROFILE_ALL_BLOCKS UINT32_MAX

struct profile_counts {
    struct counters counters;
    uint64_t lost_blocks, lost_bytes;
    bool contradict; /* a difference was below zero, or a sum too large, and became the nearest number */
};

/* Reads the counters of a slot of the stretch, in the order that makes sense of one that is being written
 * (profile.h). What belongs to the slot and to no block is part of all blocks only. */
void profile_slot_read(struct profile_counts *, const struct profile_sweep *, uint64_t slot, uint32_t block);

#endif
