/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the peak with several threads. Each thread has a window: it may rise by that much before the live
 * bytes of all threads must be added up. */
#include "lib/count/peak.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"

#include "lib/base/os.h"
#include "lib/count/threads.h"
#include "lib/store/store.h"

#include <errno.h>

/* Blocks all signals: a handler might check the peak too, or jump out and never unlock, as might the
 * cancellation of a thread. Returns the mask for peak_unlock. Checks are rare, so the cost does not show. */
static uint64_t peak_lock(struct peak *peak) {
    uint64_t signals = os_signals_hold();
    for (uint32_t tries = 1; __atomic_exchange_n(&peak->is_locked, true, __ATOMIC_ACQUIRE); tries++)
        if (tries % 64 == 0)
            os_wait(tries / 64);
    return signals;
}

static void peak_unlock(struct peak *peak, uint64_t signals) {
    ASSERT(peak->is_locked);
    __atomic_store_n(&peak->is_locked, false, __ATOMIC_RELEASE);
    os_signals_release(signals);
}

/* The first `exact` measurements cost little and allow no window. After them the window doubles with each
 * further `exact`, up to limit. */
static uint64_t window_for(uint32_t effort, uint32_t exact, uint64_t limit) {
    uint32_t doublings = effort / exact;
    if (doublings == 0)
        return 0;
    return doublings > 32 || 1ull << doublings > limit ? limit : 1ull << doublings;
}

static uint64_t max_of(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The cost of a measurement in the time of all threads, relative to the cost of widening a window. */
#define MEASURE_EFFORT 8
#define EXACT_EFFORT   (32 * MEASURE_EFFORT)

/* Until the next measurement, which interrupts all threads, these may together rise up to the peak. After the
 * exact measurements they may exceed it by a 32nd, or by more if checks took much of their time so far. */
static void begin_windows(struct peak *peak, int64_t live) {
    uint64_t least = max_of(peak->sharers, 1) * window_for(peak->effort, EXACT_EFFORT, 65536);
    peak->measured = epoch_now();
    peak->window = peak->effort < EXACT_EFFORT ? 0 : max_of((uint64_t)peak->published.bytes / 32, least);
    peak->spare = peak->published.bytes - live + (int64_t)peak->window;
    peak->published.within = max_of(peak->published.within, peak->window);
    peak->expected = peak->sharers;
    peak->sharers = 0;
}

/* The threads with an event between the last two measurements share half of the headroom. */
static int64_t thread_window(struct peak *peak) {
    uint32_t sharers = peak->expected > peak->sharers ? peak->expected - peak->sharers : 1;
    int64_t window = peak->spare / 2 / sharers;
    peak->sharers++;
    peak->spare -= window;
    return window;
}

/* Gives the thread more of the headroom instead of measuring. Asks other threads to return their unused
 * headroom, because only they know whether their live bytes still rise. Otherwise a thread that frees blocks
 * of other threads would keep most of the headroom. */
static bool widen_window(struct peak *peak, struct thread *thread) {
    int64_t widening = peak->spare / 2, least = (int64_t)(peak->window / 32);
    if (widening < thread->headroom + least)
        return false;
    peak->spare -= widening;
    thread_set_ceiling(thread, thread->ceiling + widening);
    peak->effort++;
    threads_ask_back(thread, least);
    return true;
}

static int64_t slot_window(struct profile_slot *slot) {
    uint64_t window = window_for(slot->measures, 16, 4096);
    slot->windows += (uint32_t)window;
    slot->most_within = max_of(slot->most_within, slot->windows);
    return (int64_t)window;
}

/* Makes all threads check their windows before their next event; the barrier shows earlier counts here. */
static void stop_windows(void) {
    peak_new_epoch();
    if (!gap_is_set(GAP_BARRIER))
        os_barrier();
}

static void note_most(struct profile_slot *slot, int64_t live) {
    if (live > (int64_t)slot->most)
        slot->most = (uint64_t)live;
}

static void measure_slot(struct profile_slot *slot, struct tally *tally, uint32_t number) {
    stop_windows();
    note_most(slot, threads_live_blocks(number));
    slot->measures++;
    slot->measured = epoch_now();
    slot->windows = 0;
    tally_set_checked(tally);
    tally_set_limit(tally, tally_live_blocks(tally) + slot_window(slot));
}

/* A slot that was not measured since the second thread started has no windows from before. */
static int64_t measured_epoch(const struct peak *peak, const struct profile_slot *slot) {
    return slot && slot->measured > peak->published.shared_epoch ? slot->measured
                                                                 : peak->published.shared_epoch;
}

/* Returns whether the event that the thread now checks was counted already when the peak was measured. Only
 * its first event after the measurement can be. change: the event's change of the thread's live bytes. */
static bool is_in_peak(const struct peak *peak, const struct thread *thread, int64_t change) {
    return thread->looked < peak->published.epoch && change != 0 &&
           thread->headroom + thread->ceiling == thread->at_peak;
}

/* Returns the lower of the values before and after an event, because a measurement may have seen either. */
static int64_t live_lower_bound(int64_t now, int64_t change) {
    return change > 0 ? now - change : now;
}

/* in_peak: see is_in_peak. */
static void check_slot(struct peak *peak, struct thread *thread, struct tally *tally, int64_t blocks,
                       int64_t bytes, bool in_peak) {
    uint32_t number = (uint32_t)(tally - thread->tallies);
    struct profile_slot *slot = slot_at(number);
    if (tally_epoch(tally) < peak->published.epoch && in_peak)
        tally_save(tally, tally_epoch(tally), 0, 0);
    else if (tally_epoch(tally) < peak->published.epoch)
        tally_save(tally, tally_epoch(tally), blocks, bytes);
    if (tally_epoch(tally) < peak->published.shared_epoch && slot) {
        if (tally_live_blocks(tally) - blocks > tally->limit)
            tally_set_limit(tally, tally_live_blocks(tally) - blocks);
        note_most(slot, tally->limit);
    }
    if (tally_epoch(tally) < measured_epoch(peak, slot))
        tally_set_limit(tally, live_lower_bound(tally_live_blocks(tally), blocks) +
                                   (slot ? slot_window(slot) : INT32_MAX));
    tally_set_checked(tally);
    if (!slot)
        gap_set(GAP_MEMORY);
    else if (tally_live_blocks(tally) > tally->limit)
        measure_slot(slot, tally, number);
}

static void measure_all(struct peak *peak, struct thread *thread) {
    stop_windows();
    int64_t live = threads_live_bytes();
    peak->effort += MEASURE_EFFORT;
    if (live > peak->published.bytes) {
        peak->published.bytes = live;
        peak->published.epoch = epoch_now();
        threads_note_peak();
    }
    begin_windows(peak, live);
    thread_set_ceiling(thread, thread->headroom + thread->ceiling + thread_window(peak));
}

static void check_thread(struct peak *peak, struct thread *thread, int64_t bytes) {
    /* Only after a measurement; otherwise the total could grow by a window each time. */
    if (thread->looked < peak->measured)
        thread_set_ceiling(thread,
                           live_lower_bound(thread->headroom + thread->ceiling, bytes) + thread_window(peak));
    if (thread->headroom > 0 && !widen_window(peak, thread))
        measure_all(peak, thread);
    thread->looked = epoch_now();
}

void peak_look_shared(struct peak *peak, struct thread *thread, struct tally *tally, int64_t blocks,
                      int64_t bytes) {
    int error = errno;
    if (peak_parts_alone(thread, tally, blocks)) {
        errno = error;
        return;
    }
    uint64_t signals = peak_lock(peak);
    peak_parts_begin(thread);
    check_slot(peak, thread, tally, blocks, bytes, is_in_peak(peak, thread, bytes));
    check_thread(peak, thread, bytes);
    peak_parts_end(thread);
    peak_unlock(peak, signals);
    errno = error;
}

void peak_look_both_shared(struct peak *peak, struct thread *thread, struct tally *from, int64_t old_bytes,
                           struct tally *to, int64_t bytes) {
    int error = errno;
    uint64_t signals = peak_lock(peak);
    peak_parts_begin(thread);
    bool in_peak = is_in_peak(peak, thread, bytes - old_bytes);
    check_slot(peak, thread, from, -1, -old_bytes, in_peak);
    check_slot(peak, thread, to, 1, bytes, in_peak);
    check_thread(peak, thread, bytes - old_bytes);
    peak_parts_end(thread);
    peak_unlock(peak, signals);
    errno = error;
}

void peak_give_back(struct thread *thread) {
    struct peak *peak = the_peak();
    int error = errno;
    uint64_t signals = peak_lock(peak);
    peak_parts_begin(thread);
    bool has_some = thread->looked >= peak->measured && thread->headroom < 0;
    int64_t most = has_some ? -thread->headroom / 8 * 7 : 0;
    thread_set_ceiling(thread, thread->ceiling - most);
    peak->spare += most;
    peak_parts_end(thread);
    peak_unlock(peak, signals);
    errno = error;
}

void peak_switch_slab(struct thread *thread, uint32_t slab) {
    struct peak *peak = the_peak();
    uint64_t signals = peak_lock(peak);
    peak_parts_begin(thread);
    peak_parts_leave(thread, slab);
    thread->slab = slab;
    peak_parts_end(thread);
    peak_unlock(peak, signals);
}

void peak_reset_shared(struct peak *peak) {
    uint64_t signals = peak_lock(peak);
    stop_windows();
    peak->published.bytes = threads_live_bytes();
    peak->published.epoch = peak->published.reset_epoch = epoch_now();
    peak->published.within = peak->effort = 0;
    begin_windows(peak, peak->published.bytes);
    threads_note_peak();
    peak_unlock(peak, signals);
}
