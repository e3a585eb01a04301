/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A slot's counts, summed over all threads. */
#ifndef ALLOCSITE_LIB_COUNT_SUMS_H
#define ALLOCSITE_LIB_COUNT_SUMS_H

#include "model/counters.h"
#include "profile.h"

#include <stdbool.h>

/* Since the start or the last reset. */
struct sum {
    PROFILE_COUNTERS(PROFILE_COUNTER)
    uint64_t inherited_blocks, inherited_bytes;
    int64_t peak_blocks, peak_bytes, most; /* including inherited blocks */
    uint64_t most_within;
};

/* Sums up while threads go on counting. */
void sum_slot(uint32_t slot, struct sum *);

/* Adds the counts of a slab. */
struct slab_counts;
void sum_add(struct sum *, const struct slab_counts *);

void sum_counters(struct counters *, const struct sum *);

/* Starts the sums of all slots from zero. Only one thread at a time may call it. */
void sums_reset(void);

/* ---- Events that were counted only in part. */

/* Sets the gap if an event of this thread or of an ended one was counted only in part. For the end of the
 * process. If a signal handler calls it and never returns, the event that it interrupted is one of these. */
void torn_look(void);

#endif
