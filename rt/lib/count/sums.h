/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counts of all threads together for a slot. */
#ifndef ALLOCSITE_LIB_COUNT_SUMS_H
#define ALLOCSITE_LIB_COUNT_SUMS_H

#include "model/counters.h"
#include "profile.h"

#include <stdbool.h>

/* Since the start, or the last reset. */
struct sum {
    PROFILE_COUNTERS(PROFILE_COUNTER)
    uint64_t inherited_blocks, inherited_bytes;
    int64_t peak_blocks, peak_bytes, most; /* with what was inherited */
    uint64_t most_within;
};

/* While threads count on. */
void sum_slot(uint32_t slot, struct sum *);

/* Adds what a slab has. */
struct slab_counts;
void sum_add(struct sum *, const struct slab_counts *);

void sum_counters(struct counters *, const struct sum *);

/* Starts the sums of all slots afresh. No other thread may do the same. */
void sums_reset(void);

/* ---- Events that were counted in part and left. */

/* Sets the hole if there is one. For the end of the process; finds what this thread and those that have ended
 * left. May be used in a signal handler, though the event that this interrupts is torn if it does not
 * return. */
void torn_look(void);

#endif
