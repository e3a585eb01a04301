/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters of a profile's slots, one slot after the other. */
#ifndef ALLOCSITE_DUMP_PROFILE_SLOTS_H
#define ALLOCSITE_DUMP_PROFILE_SLOTS_H

#include "dump/profile/areas.h"
#include "model/counters.h"

/* Sums of what threads count. */
struct profile_flow {
    uint32_t block;
    struct tally tally; /* of it, the counters */
    struct extra extra;
};

/* What came in a block. */
struct profile_gain {
    uint32_t block;
    uint64_t blocks, bytes;
};

struct profile_active {
    const struct profile_span *span;
    struct profile_flow *flow; /* of its block */
};

/* Goes over the slots that some area knows, by rising number, in stretches that the same areas know. */
struct profile_sweep {
    const struct profile_areas *areas;
    struct profile_active *active; /* those that know the stretch */
    size_t active_count;
    size_t next; /* of areas->spans */
    uint64_t first, end;
    struct profile_flow
        *flows; /* by rising block, of all slots that were read; the one behind is for other blocks */
    size_t flow_count;
    struct profile_flow before_reset; /* of all slots that were read, in all blocks */
    bool wants_gains;                 /* set by the caller once it is open */
    struct profile_gain *gains; /* of the slot that was read last, if they are wanted and in the totals */
    size_t gain_count, gain_room;
};

/* The counters from allocs to failed. Live blocks and bytes are what came less what went, modulo 2^64: blocks
 * may go elsewhere than they came. *contradict becomes true if another difference is below zero. */
void profile_flow_counters(struct counters *, const struct profile_flow *, bool *contradict);

void profile_sweep_open(struct profile_sweep *, const struct profile_areas *);
void profile_sweep_close(struct profile_sweep *);

/* Goes on to the next stretch: slots first to end - 1. False: there is none. */
bool profile_sweep_next(struct profile_sweep *);

/* A program frees so many blocks of a slot while it is read only if the reader is kept waiting meanwhile:
 * reading takes microseconds. All of them would seem to live. */
enum { PROFILE_OUTRUN = 4096 };

struct profile_counts {
    struct counters counters;
    uint64_t lost_blocks, lost_bytes;
    bool contradict; /* a difference was below zero, or a sum too large, and became the nearest number */
    bool outrun;     /* more than PROFILE_OUTRUN blocks went while it was read */
};

/* Reads the counters of a slot of the stretch, in the order that makes sense of one that is being written
 * (profile.h), and adds them to the flows, so that these always sum up to what was read of the slots; but for
 * those that are not in the totals. */
void profile_slot_read(struct profile_counts *, struct profile_sweep *, uint64_t slot, bool is_in_totals);

#endif
