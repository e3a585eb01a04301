/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peak for the report. tally.h explains how it is found. */
#ifndef ALLOCSITE_LIB_COUNT_PEAK_H
#define ALLOCSITE_LIB_COUNT_PEAK_H

#include "lib/base/local.h"
#include "lib/count/tally.h"
#include "lib/store/store.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called before the process starts its second thread. */
void peak_several_threads(void);

/* Returns whether it has been called. */
bool peak_is_shared(void);

/* Adds the blocks and bytes that were live in this tally at the peak. */
void peak_share(const struct tally *, int64_t *blocks, int64_t *bytes);

/* Returns the most live blocks of the tally's slot while only one thread counted it; 0: unknown here. */
int64_t peak_tally_most(const struct tally *);

/* Returns the thread's unused headroom to the others. Keeps errno. */
void peak_give_back(struct thread *);

/* Makes the current live bytes the peak. */
void peak_reset(void);

/* Returns by how many bytes the true peak may exceed the one that was found. */
uint64_t peak_within(void);

/* ---- Internal functions of the peak, for one thread (peak.c) and for several (peak_shared.c). */

/* In the profile's header; readers use `published`. Wiped by fork, so a child measures the peak of its own
 * changes. */
struct peak {
    struct profile_peak published;
    struct thread *riser;       /* the thread whose live bytes rise above the peak; NULL: no rise */
    int64_t measured;           /* the epoch of the last measurement of all threads */
    uint64_t window;            /* by how much all threads together may have exceeded the peak since then */
    int64_t spare;              /* the part of the total headroom that no thread has as its share */
    uint32_t effort;            /* the cost of checks so far */
    uint32_t sharers, expected; /* threads with an event since the last measurement; in the interval before */
    bool is_locked;             /* held, with signals blocked, by one of several threads during a check */
    bool has_checked;           /* a tally was checked in this epoch */
};

_Static_assert(sizeof(struct peak) <=
                       sizeof(struct profile_peak) + sizeof(((struct profile_header *)0)->writer) &&
                   offsetof(struct profile_header, writer) ==
                       offsetof(struct profile_header, peak) + sizeof(struct profile_peak),
               "it has its place");

static inline struct peak *the_peak(void) {
    return (struct peak *)&store_header()->peak;
}

static inline int64_t epoch_now(void) {
    return ~__atomic_load_n(&peak_floors.released, __ATOMIC_RELAXED);
}

static inline void tally_set_limit(struct tally *tally, int64_t limit) {
    counter_shift(&tally->above, tally->limit - limit);
    tally->limit = limit;
}

#define PEAK_BLOCKS_MASK (PROFILE_EPOCH_STEP - 1)

static inline void tally_set_checked(struct tally *tally) {
    counter_shift(&tally->above, tally_epoch(tally) - epoch_now());
    tally->looked = epoch_now() | (tally->looked & PEAK_BLOCKS_MASK);
}

static inline void thread_set_ceiling(struct thread *thread, int64_t ceiling) {
    counter_shift(&thread->headroom, thread->ceiling - ceiling);
    thread->ceiling = ceiling;
}

/* Saves the live blocks and bytes from before the event, as checked in that epoch. */
static inline void tally_save(struct tally *tally, int64_t epoch, int64_t blocks, int64_t bytes) {
    tally->looked = epoch | ((tally_live_blocks(tally) - blocks) & PEAK_BLOCKS_MASK);
    tally->peak_bytes = tally_live_bytes(tally) - bytes;
}

/* Starts an epoch: each tally is checked before its next event. Sets the gap after the last epoch. */
void peak_new_epoch(void);

/* ---- With several threads. These functions keep errno. */

/* Like peak_look. */
void peak_look_shared(struct peak *, struct thread *, struct tally *, int64_t blocks, int64_t bytes);

/* Like peak_look_shared, for one event of two slots. */
void peak_look_both_shared(struct peak *, struct thread *, struct tally *from, int64_t old_bytes,
                           struct tally *to, int64_t bytes);

/* Makes the current live bytes the peak. */
void peak_reset_shared(struct peak *);

/* Makes the thread count in that slab of its from its next event on. Signals must be blocked. */
void peak_switch_slab(struct thread *, uint32_t slab);

/* ---- The peaks of threads and phases (peak_parts.c). */

/* A check of the total begins with peak_parts_begin, which returns the withheld headroom, and ends with
 * peak_parts_end, which notes new peaks and withholds headroom again. The caller holds the lock. */
void peak_parts_begin(struct thread *);
void peak_parts_end(struct thread *);

/* Notes new peaks of the thread. Returns false if the peak of all threads must be measured too. blocks: the
 * number that the event allocated; below zero, released. */
bool peak_parts_alone(struct thread *, const struct tally *, int64_t blocks);

/* Prepares the thread for another slab. */
void peak_parts_leave(struct thread *, uint32_t slab);

/* Notes the peak of a process with one thread as that thread's. */
void peak_parts_single(const struct peak *);

#endif
