/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peak as the report needs it. How it is found: tally.h. */
#ifndef ALLOCSITE_LIB_COUNT_PEAK_H
#define ALLOCSITE_LIB_COUNT_PEAK_H

#include "lib/base/local.h"
#include "lib/count/tally.h"
#include "lib/store/store.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The process is about to have a second thread. */
void peak_several_threads(void);

/* Whether it has. */
bool peak_is_shared(void);

/* Adds what was live in this tally at the peak. */
void peak_share(const struct tally *, int64_t *blocks, int64_t *bytes);

/* The most live blocks of the tally's slot while it was counted by one thread alone; 0: not known here. */
int64_t peak_tally_most(const struct tally *);

/* The thread was asked back for what it need not rise by. Keeps errno. */
void peak_give_back(struct thread *);

/* The peak is what is live now. */
void peak_reset(void);

/* The true peak of all live bytes is not above the one found by more than this. */
uint64_t peak_within(void);

/* ---- The inside of the peak: what looking at it with one thread (peak.c) and with several ones
 * (peak_shared.c) have in common. */

/* In the header of the profile, where readers find what they are told. Wiped by fork: a child's peak is that
 * of what it changes. */
struct peak {
    struct profile_peak told;
    struct thread *riser;       /* whose live bytes are rising above it; NULL: they are below */
    int64_t measured;           /* the epoch of the last measure */
    uint64_t window;            /* how far above the peak all threads together may have come since then */
    int64_t spare;              /* by what they might rise before that but were not told to */
    uint32_t effort;            /* of looking so far */
    uint32_t sharers, expected; /* threads that had an event since the last measure; that had one before it */
    bool is_locked;             /* while several threads look; whoever does holds signals */
    bool seen;                  /* some tally has been looked at in this epoch */
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
    return ~__atomic_load_n(&peak_floors.lost, __ATOMIC_RELAXED);
}

static inline void set_limit(struct tally *tally, int64_t limit) {
    shift(&tally->above, tally->limit - limit);
    tally->limit = limit;
}

#define PEAK_BLOCKS_MASK (PROFILE_EPOCH_STEP - 1)

static inline void set_seen(struct tally *tally) {
    shift(&tally->above, tally_epoch(tally) - epoch_now());
    tally->looked = epoch_now() | (tally->looked & PEAK_BLOCKS_MASK);
}

static inline void set_ceiling(struct thread *thread, int64_t ceiling) {
    shift(&thread->room, thread->ceiling - ceiling);
    thread->ceiling = ceiling;
}

/* Saves the live blocks and bytes from before the event, looked at in that epoch. */
static inline void save(struct tally *tally, int64_t epoch, int64_t blocks, int64_t bytes) {
    tally->looked = epoch | ((tally_live_blocks(tally) - blocks) & PEAK_BLOCKS_MASK);
    tally->peak_bytes = tally_live_bytes(tally) - bytes;
}

/* Every tally is to be looked at before its next event. Behind the last epoch the hole is set. */
void peak_new_epoch(void);

/* ---- With several threads. What looks keeps errno. */

/* As peak_look. */
void peak_look_shared(struct peak *, struct thread *, struct tally *, int64_t blocks, int64_t bytes);

/* The same for one event of two slots. */
void peak_look_both_shared(struct peak *, struct thread *, struct tally *from, int64_t old_bytes,
                           struct tally *to, int64_t bytes);

/* The peak is what is live now. */
void peak_reset_shared(struct peak *);

#endif
