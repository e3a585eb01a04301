/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at the peak when an event asks for it: with one thread. With several: peak_shared.c. */
#include "lib/count/peak.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"

#include "lib/base/os.h"
#include "lib/count/threads.h"

#include <errno.h>

/* With one thread a slot's most live blocks are looked at when it loses one: by how much they may be above
 * the most that were seen, and still be told from a slot that was not seen in this epoch. */
#define UNSEEN_MOST (PROFILE_EPOCH_STEP / 4)

struct floors peak_floors = {
    .lost = ~PROFILE_EPOCH_STEP, .gained = -PROFILE_EPOCH_STEP + UNSEEN_MOST, .resized = -PROFILE_EPOCH_STEP};

static void set_gained_floor(int64_t floor) {
    __atomic_store_n(&peak_floors.gained, floor, __ATOMIC_RELAXED);
}

static bool is_past_the_last(int64_t epoch) {
    return UNLIKELY(epoch >= INT64_MAX - PROFILE_EPOCH_STEP);
}

static void set_epoch(int64_t epoch) {
    __atomic_store_n(&peak_floors.lost, ~epoch, __ATOMIC_RELAXED); /* -epoch - 1 */
    __atomic_store_n(&peak_floors.resized, -epoch, __ATOMIC_RELAXED);
}

void peak_new_epoch(void) {
    int64_t epoch = epoch_now() + PROFILE_EPOCH_STEP;
    if (is_past_the_last(epoch)) {
        hole_set(HOLE_PEAK);
        return;
    }
    set_epoch(epoch);
    set_gained_floor((peak_is_shared() ? 0 : UNSEEN_MOST) - epoch);
}

#define OUT_OF_REACH (INT64_MAX / 4)

static COLD void *stay_in_epoch(void *p) {
    hole_set(HOLE_PEAK);
    return p;
}

/* The live bytes are above the peak: until they fall no slot needs to be looked at. p is for who calls this
 * last, and then has nothing to save. */
static __attribute__((noinline)) void *begin_rise(void *p, struct peak *peak, struct thread *thread) {
    int64_t next = epoch_now() + (peak->seen ? PROFILE_EPOCH_STEP : 0);
    int64_t epoch = is_past_the_last(next) ? epoch_now() : next;
    set_epoch(epoch);
    peak->seen = false;
    peak->told.epoch = epoch;
    peak->riser = thread;
    peak->told.riser = 1;
    set_gained_floor(INT64_MAX);
    set_ceiling(thread, OUT_OF_REACH);
    return epoch == next ? p : stay_in_epoch(p);
}

static void end_rise(struct peak *peak, int64_t bytes) {
    peak->told.bytes = bytes;
    set_ceiling(peak->riser, bytes);
    set_gained_floor(UNSEEN_MOST - epoch_now());
    peak->riser = NULL;
    peak->told.riser = 0;
}

/* With one thread: a slot that was not seen since the peak still has what was live there before the event.
 * Its limit is the most live blocks it had, as far as that was of interest. */
static inline void look_at_slot(struct peak *peak, struct tally *tally, int64_t blocks, int64_t bytes,
                                bool is_after) {
    int64_t epoch = epoch_now(), most = tally_live_blocks(tally) - blocks;
    if (is_after && tally_epoch(tally) < epoch) {
        shift(&tally->above, tally_epoch(tally) - epoch);
        save(tally, epoch, blocks, bytes);
        peak->seen = true;
    }
    if (blocks <= 0 && most > tally->limit)
        set_limit(tally, most);
}

/* With one thread. True: a rise begins, which is for begin_rise to note when all else is done. */
static inline bool look_at_total(struct peak *peak, const struct thread *thread, int64_t bytes, bool falls) {
    bool begins = !peak->riser && thread->room > 0;
    if (peak->riser && falls)
        end_rise(peak, thread->room + thread->ceiling - bytes);
    return begins;
}

/* The most live blocks before the last reset are of no interest. */
static void forget_most(const struct peak *peak, struct tally *tally, int64_t blocks) {
    if (tally_epoch(tally) < peak->told.reset_epoch)
        set_limit(tally, tally_live_blocks(tally) - blocks);
}

/* falls: what bytes tell, and the compiler may know. */
static inline __attribute__((always_inline)) void *look_alone(void *p, struct peak *peak,
                                                              struct thread *thread, struct tally *tally,
                                                              int64_t blocks, int64_t bytes, bool falls) {
    bool begins = look_at_total(peak, thread, bytes, falls);
    look_at_slot(peak, tally, blocks, bytes, !peak->riser && !begins);
    return begins ? begin_rise(p, peak, thread) : p;
}

/* Where it stands while there is one thread and was no reset, so that one test tells. NULL: not known. */
static struct peak *peak_alone;

static __attribute__((noinline)) void *look_otherwise(void *p, struct thread *thread, struct tally *tally,
                                                      int64_t blocks, int64_t bytes) {
    struct peak *peak = the_peak();
    forget_most(peak, tally, blocks);
    if (peak->told.shared_epoch)
        peak_look_shared(peak, thread, tally, blocks, bytes);
    else
        look_alone(p, peak, thread, tally, blocks, bytes, bytes < 0);
    peak_alone = peak->told.shared_epoch || peak->told.reset_epoch ? NULL : peak;
    return p;
}

static inline __attribute__((always_inline)) void *look(void *p, struct thread *thread, struct tally *tally,
                                                        int64_t blocks, int64_t bytes, bool falls) {
    struct peak *peak = peak_alone;
    return LIKELY(peak != NULL) ? look_alone(p, peak, thread, tally, blocks, bytes, falls)
                                : look_otherwise(p, thread, tally, blocks, bytes);
}

void peak_look(struct thread *thread, struct tally *tally, int64_t blocks, int64_t bytes) {
    look(NULL, thread, tally, blocks, bytes, bytes < 0);
}

/* A heap that grows comes to these two at every event. */
void *peak_look_gained(void *p, struct thread *thread, struct tally *tally, uint64_t bytes) {
    return look(p, thread, tally, 1, (int64_t)bytes, false);
}

void *peak_look_lost(void *p, struct thread *thread, struct tally *tally, uint64_t bytes) {
    return look(p, thread, tally, -1, -(int64_t)bytes, true);
}

/* One event of two slots: neither may take the other's part of it for a peak. */
static void look_both_alone(struct peak *peak, struct thread *thread, struct tally *from, int64_t old_bytes,
                            struct tally *to, int64_t bytes) {
    bool begins = look_at_total(peak, thread, bytes - old_bytes, bytes < old_bytes);
    bool is_after = !peak->riser && !begins;
    look_at_slot(peak, from, -1, -old_bytes, is_after);
    look_at_slot(peak, to, 1, bytes, is_after);
    if (begins)
        begin_rise(NULL, peak, thread);
}

static void look_both(struct thread *thread, struct tally *from, int64_t old_bytes, struct tally *to,
                      int64_t bytes) {
    struct peak *peak = the_peak();
    forget_most(peak, from, -1);
    forget_most(peak, to, 1);
    if (peak->told.shared_epoch)
        peak_look_both_shared(peak, thread, from, old_bytes, to, bytes);
    else
        look_both_alone(peak, thread, from, old_bytes, to, bytes);
}

void *peak_look_moved(void *p, struct thread *thread, struct tally *from, uint64_t old_bytes,
                      struct tally *to, uint64_t bytes) {
    if (from == to)
        peak_look(thread, to, 0, (int64_t)(bytes - old_bytes));
    else
        look_both(thread, from, (int64_t)old_bytes, to, (int64_t)bytes);
    return p;
}

void tally_disown_gain(struct tally *from, struct tally *to, uint64_t bytes) {
    bump(&from->gained, -(uint64_t)1);
    bump(&from->gained_bytes, -bytes);
    bump(&to->gained, 1);
    bump(&to->gained_bytes, bytes);
}

void tally_disown(struct thread *thread, struct tally *from, struct tally *to, uint64_t bytes) {
    tally_disown_gain(from, to, bytes);
    if (tally_move_unseen(from, to))
        look_both(thread, from, (int64_t)bytes, to, (int64_t)bytes);
}

void tally_disown_freed(struct tally *from, struct tally *to, uint64_t bytes) {
    tally_disown_gain(from, to, bytes);
    bump(&from->lost, -(uint64_t)1);
    bump(&from->lost_bytes, -bytes);
    bump(&to->lost, 1);
    bump(&to->lost_bytes, bytes);
}

bool threads_several;

bool peak_is_shared(void) {
    return the_peak()->told.shared_epoch;
}

void peak_several_threads(void) {
    struct peak *peak = the_peak();
    __atomic_store_n(&threads_several, true, __ATOMIC_SEQ_CST);
    if (peak->told.shared_epoch)
        return;
    int error = errno;
    if (!os_barriers())
        hole_set(HOLE_BARRIER);
    uint64_t signals = os_signals_hold(); /* a handler in between would go on as if there were one thread */
    peak_alone = NULL;
    if (peak->riser)
        end_rise(peak, peak->riser->room + peak->riser->ceiling);
    peak_new_epoch();
    peak->told.shared_epoch = peak->measured = epoch_now();
    set_gained_floor(-epoch_now());
    os_signals_release(signals);
    errno = error;
}

void peak_share(const struct tally *tally, int64_t *blocks, int64_t *bytes) {
    const struct peak *peak = the_peak();
    bool saved = !peak->riser && tally_epoch(tally) >= peak->told.epoch;
    *blocks += saved ? tally_peak_blocks(tally) : tally_live_blocks(tally);
    *bytes += saved ? tally->peak_bytes : tally_live_bytes(tally);
}

int64_t peak_tally_most(const struct tally *tally) {
    const struct profile_peak *told = &the_peak()->told;
    int64_t live = tally_live_blocks(tally), epoch = tally_epoch(tally);
    if (told->shared_epoch && epoch >= told->shared_epoch)
        return 0;
    return live > tally->limit || epoch < told->reset_epoch ? live : tally->limit;
}

static void reset_alone(struct peak *peak, struct thread *thread) {
    int64_t live = thread->room + thread->ceiling;
    if (peak->riser)
        end_rise(peak, live);
    peak_new_epoch();
    peak->seen = false;
    peak->told.bytes = live;
    peak->told.epoch = peak->told.reset_epoch = epoch_now();
    set_ceiling(thread, live);
}

void peak_reset(void) {
    struct peak *peak = the_peak();
    struct thread *thread = thread_acquire(0, 0);
    if (!thread)
        return;
    peak_alone = NULL;
    if (peak->told.shared_epoch)
        peak_reset_shared(peak);
    else
        reset_alone(peak, thread);
    thread_release(thread);
}

uint64_t peak_within(void) {
    return the_peak()->told.within;
}
