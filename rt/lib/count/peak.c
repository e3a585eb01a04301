/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the peak with one thread. With several: peak_shared.c. */
#include "lib/count/peak.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"

#include "lib/base/os.h"
#include "lib/count/threads.h"

#include <errno.h>

/* With one thread a slot's most live blocks are checked when it loses a block. Until then its live blocks may
 * exceed the most seen by less than this: more would look like a slot that was not checked in this epoch. */
#define UNSEEN_MOST (PROFILE_EPOCH_STEP / 4)

struct floors peak_floors = {.released = ~PROFILE_EPOCH_STEP,
                             .allocated = -PROFILE_EPOCH_STEP + UNSEEN_MOST,
                             .resized = -PROFILE_EPOCH_STEP};

static void set_allocated_floor(int64_t floor) {
    __atomic_store_n(&peak_floors.allocated, floor, __ATOMIC_RELAXED);
}

static bool is_past_the_last(int64_t epoch) {
    return UNLIKELY(epoch >= INT64_MAX - PROFILE_EPOCH_STEP);
}

static void set_epoch(int64_t epoch) {
    __atomic_store_n(&peak_floors.released, ~epoch, __ATOMIC_RELAXED); /* -epoch - 1 */
    __atomic_store_n(&peak_floors.resized, -epoch, __ATOMIC_RELAXED);
}

void peak_new_epoch(void) {
    int64_t epoch = epoch_now() + PROFILE_EPOCH_STEP;
    if (is_past_the_last(epoch)) {
        gap_set(GAP_PEAK);
        return;
    }
    set_epoch(epoch);
    set_allocated_floor((peak_is_shared() ? 0 : UNSEEN_MOST) - epoch);
}

#define OUT_OF_REACH (INT64_MAX / 4)

static COLD void *epoch_exhausted(void *p) {
    gap_set(GAP_PEAK);
    return p;
}

/* Live bytes exceed the peak: until they fall, no slot needs a check. Returns p, so that the caller can end
 * with this call and need not save p. */
static __attribute__((noinline)) void *rise_begin(void *p, struct peak *peak, struct thread *thread) {
    int64_t next = epoch_now() + (peak->has_checked ? PROFILE_EPOCH_STEP : 0);
    int64_t epoch = is_past_the_last(next) ? epoch_now() : next;
    set_epoch(epoch);
    peak->has_checked = false;
    peak->published.epoch = epoch;
    peak->riser = thread;
    peak->published.riser = 1;
    set_allocated_floor(INT64_MAX);
    thread_set_ceiling(thread, OUT_OF_REACH);
    return epoch == next ? p : epoch_exhausted(p);
}

static void rise_end(struct peak *peak, int64_t bytes) {
    peak->published.bytes = bytes;
    store_header()->peak_time = os_now_coarse();
    thread_set_ceiling(peak->riser, bytes);
    set_allocated_floor(UNSEEN_MOST - epoch_now());
    peak->riser = NULL;
    peak->published.riser = 0;
}

/* profile.h defines `above`. Interrupted events of signal handlers may have changed a part of the counters.
 */
#define INTERRUPTED_MOST 8
#define TALLY_ASSERT_ABOVE(tally)                                                                            \
    ASSERT(tally_live_blocks(tally) - (tally)->limit - tally_epoch(tally) - (tally)->above +                 \
               INTERRUPTED_MOST <=                                                                           \
           2 * INTERRUPTED_MOST)

/* With one thread. A slot that was not checked since the peak still has the blocks that were live before this
 * event. Its limit is the most live blocks that a check has seen so far. */
static inline void check_slot(struct peak *peak, struct tally *tally, int64_t blocks, int64_t bytes,
                              bool is_after) {
    int64_t epoch = epoch_now(), most = tally_live_blocks(tally) - blocks;
    ASSERT(tally_epoch(tally) <= epoch);
    TALLY_ASSERT_ABOVE(tally);
    if (is_after && tally_epoch(tally) < epoch) {
        counter_shift(&tally->above, tally_epoch(tally) - epoch);
        tally_save(tally, epoch, blocks, bytes);
        peak->has_checked = true;
    }
    if (blocks <= 0 && most > tally->limit)
        tally_set_limit(tally, most);
}

/* With one thread. Returns true if a rise begins; the caller then calls rise_begin at the end. */
static inline bool check_total(struct peak *peak, const struct thread *thread, int64_t bytes, bool falls) {
    bool begins = !peak->riser && thread->headroom > 0;
    if (peak->riser && falls)
        rise_end(peak, thread->headroom + thread->ceiling - bytes);
    ASSERT(begins || peak->riser || thread->headroom <= 0); /* the peak is at least what is live */
    return begins;
}

/* Forgets the most live blocks from before the last reset. */
static void most_forget(const struct peak *peak, struct tally *tally, int64_t blocks) {
    if (tally_epoch(tally) < peak->published.reset_epoch)
        tally_set_limit(tally, tally_live_blocks(tally) - blocks);
}

/* falls: bytes < 0, which the compiler may know. */
static inline __attribute__((always_inline)) void *peak_check_single(void *p, struct peak *peak,
                                                                     struct thread *thread,
                                                                     struct tally *tally, int64_t blocks,
                                                                     int64_t bytes, bool falls) {
    bool begins = check_total(peak, thread, bytes, falls);
    check_slot(peak, tally, blocks, bytes, !peak->riser && !begins);
    return begins ? rise_begin(p, peak, thread) : p;
}

/* The peak's storage while there is one thread and was no reset, so that one test decides; else NULL. */
static struct peak *single_peak;

static __attribute__((noinline)) void *peak_check_slow(void *p, struct thread *thread, struct tally *tally,
                                                       int64_t blocks, int64_t bytes) {
    struct peak *peak = the_peak();
    most_forget(peak, tally, blocks);
    if (peak->published.shared_epoch)
        peak_look_shared(peak, thread, tally, blocks, bytes);
    else
        peak_check_single(p, peak, thread, tally, blocks, bytes, bytes < 0);
    single_peak = peak->published.shared_epoch || peak->published.reset_epoch ? NULL : peak;
    return p;
}

static inline __attribute__((always_inline)) void *
peak_check(void *p, struct thread *thread, struct tally *tally, int64_t blocks, int64_t bytes, bool falls) {
    struct peak *peak = single_peak;
    return LIKELY(peak != NULL) ? peak_check_single(p, peak, thread, tally, blocks, bytes, falls)
                                : peak_check_slow(p, thread, tally, blocks, bytes);
}

void peak_look(struct thread *thread, struct tally *tally, int64_t blocks, int64_t bytes) {
    peak_check(NULL, thread, tally, blocks, bytes, bytes < 0);
}

/* A growing heap calls these two at every event. */
void *peak_look_allocated(void *p, struct thread *thread, struct tally *tally, uint64_t bytes) {
    return peak_check(p, thread, tally, 1, (int64_t)bytes, false);
}

void *peak_look_released(void *p, struct thread *thread, struct tally *tally, uint64_t bytes) {
    return peak_check(p, thread, tally, -1, -(int64_t)bytes, true);
}

/* One event of two slots: the total is checked once, so that neither half looks like a peak. */
static void peak_check_both_single(struct peak *peak, struct thread *thread, struct tally *from,
                                   int64_t old_bytes, struct tally *to, int64_t bytes) {
    bool begins = check_total(peak, thread, bytes - old_bytes, bytes < old_bytes);
    bool is_after = !peak->riser && !begins;
    check_slot(peak, from, -1, -old_bytes, is_after);
    check_slot(peak, to, 1, bytes, is_after);
    if (begins)
        rise_begin(NULL, peak, thread);
}

static void peak_check_both(struct thread *thread, struct tally *from, int64_t old_bytes, struct tally *to,
                            int64_t bytes) {
    struct peak *peak = the_peak();
    most_forget(peak, from, -1);
    most_forget(peak, to, 1);
    if (peak->published.shared_epoch)
        peak_look_both_shared(peak, thread, from, old_bytes, to, bytes);
    else
        peak_check_both_single(peak, thread, from, old_bytes, to, bytes);
}

void *peak_look_moved(void *p, struct thread *thread, struct tally *from, uint64_t old_bytes,
                      struct tally *to, uint64_t bytes) {
    if (from == to)
        peak_look(thread, to, 0, (int64_t)(bytes - old_bytes));
    else
        peak_check_both(thread, from, (int64_t)old_bytes, to, (int64_t)bytes);
    return p;
}

bool threads_several;

bool peak_is_shared(void) {
    return the_peak()->published.shared_epoch;
}

void peak_several_threads(void) {
    struct peak *peak = the_peak();
    __atomic_store_n(&threads_several, true, __ATOMIC_SEQ_CST);
    if (peak->published.shared_epoch)
        return;
    int error = errno;
    if (!os_barriers())
        gap_set(GAP_BARRIER);
    uint64_t signals = os_signals_hold(); /* a signal handler in between would act as with one thread */
    single_peak = NULL;
    if (peak->riser)
        rise_end(peak, peak->riser->headroom + peak->riser->ceiling);
    peak_parts_single(peak);
    peak_new_epoch();
    peak->published.shared_epoch = peak->measured = epoch_now();
    set_allocated_floor(-epoch_now());
    os_signals_release(signals);
    errno = error;
}

void peak_share(const struct tally *tally, int64_t *blocks, int64_t *bytes) {
    const struct peak *peak = the_peak();
    bool saved = !peak->riser && tally_epoch(tally) >= peak->published.epoch;
    *blocks += saved ? tally_peak_blocks(tally) : tally_live_blocks(tally);
    *bytes += saved ? tally->peak_bytes : tally_live_bytes(tally);
}

int64_t peak_tally_most(const struct tally *tally) {
    const struct profile_peak *published = &the_peak()->published;
    int64_t live = tally_live_blocks(tally), epoch = tally_epoch(tally);
    if (published->shared_epoch && epoch >= published->shared_epoch)
        return 0;
    return live > tally->limit || epoch < published->reset_epoch ? live : tally->limit;
}

static void reset_single(struct peak *peak, struct thread *thread) {
    int64_t live = thread->headroom + thread->ceiling;
    if (peak->riser)
        rise_end(peak, live);
    peak_parts_single(peak);
    peak_new_epoch();
    peak->has_checked = false;
    peak->published.bytes = live;
    peak->published.epoch = peak->published.reset_epoch = epoch_now();
    thread_set_ceiling(thread, live);
}

void peak_reset(void) {
    struct peak *peak = the_peak();
    struct thread *thread = thread_acquire(0, 0);
    if (!thread)
        return;
    single_peak = NULL;
    if (peak->published.shared_epoch)
        peak_reset_shared(peak);
    else
        reset_single(peak, thread);
    thread_release(thread);
}

uint64_t peak_within(void) {
    return the_peak()->published.within;
}
