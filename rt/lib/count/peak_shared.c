/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at the peak with several threads, each of which may rise by a part of what all of them may before
 * their live bytes must be added up. */
#include "lib/count/peak.h"

#include "lib/base/local.h"
#include "lib/base/state.h"

#include "lib/base/os.h"
#include "lib/count/threads.h"
#include "lib/store/store.h"

#include <errno.h>

/* A handler that comes meanwhile might look too, or leave by a jump and never unlock, as a thread does that
 * is cancelled: all signals wait. Returns what unlock needs. Looking is rare enough for that not to show. */
static uint64_t lock(struct peak *peak) {
    uint64_t signals = os_signals_hold();
    for (uint32_t tries = 1; __atomic_exchange_n(&peak->is_locked, true, __ATOMIC_ACQUIRE); tries++)
        if (tries % 64 == 0)
            os_wait(tries / 64);
    return signals;
}

static void unlock(struct peak *peak, uint64_t signals) {
    __atomic_store_n(&peak->is_locked, false, __ATOMIC_RELEASE);
    os_signals_release(signals);
}

/* The first measures cost little and are exact; who needs more of them gets a window that grows with their
 * number up to limit. */
static uint64_t window_for(uint32_t effort, uint32_t exact, uint64_t limit) {
    uint32_t doublings = effort / exact;
    if (doublings == 0)
        return 0;
    return doublings > 32 || 1ull << doublings > limit ? limit : 1ull << doublings;
}

static uint64_t at_least(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The cost of a measure in all threads' time, over that of widening a window. */
#define MEASURE_EFFORT 8
#define EXACT_EFFORT   (32 * MEASURE_EFFORT)

/* All threads together may rise up to the peak, and after the exact measures a 32nd of it more, before the
 * next one, which interrupts all of them; and by more if looking took much of their time so far. */
static void begin_windows(struct peak *peak, int64_t live) {
    uint64_t least = at_least(peak->sharers, 1) * window_for(peak->effort, EXACT_EFFORT, 65536);
    peak->measured = epoch_now();
    peak->window = peak->effort < EXACT_EFFORT ? 0 : at_least((uint64_t)peak->told.bytes / 32, least);
    peak->spare = peak->told.bytes - live + (int64_t)peak->window;
    peak->told.within = at_least(peak->told.within, peak->window);
    peak->expected = peak->sharers;
    peak->sharers = 0;
}

/* Shared among those that had an event between the last two measures. Others find something left, too. */
static int64_t thread_window(struct peak *peak) {
    uint32_t sharers = peak->expected > peak->sharers ? peak->expected - peak->sharers : 1;
    int64_t window = peak->spare / 2 / sharers;
    peak->sharers++;
    peak->spare -= window;
    return window;
}

/* Instead of a measure. Threads can be asked to give back what they fell by meanwhile, for only they know
 * when they do not rise any more: without that one that frees what others allocate would have all there is.
 */
static bool widen_window(struct peak *peak, struct thread *thread) {
    int64_t widening = peak->spare / 2, least = (int64_t)(peak->window / 32);
    if (widening < thread->room + least)
        return false;
    peak->spare -= widening;
    set_ceiling(thread, thread->ceiling + widening);
    peak->effort++;
    threads_ask_back(thread, least);
    return true;
}

static int64_t slot_window(struct profile_slot *slot) {
    uint64_t window = window_for(slot->measures, 16, 4096);
    slot->windows += (uint32_t)window;
    slot->most_within = at_least(slot->most_within, slot->windows);
    return (int64_t)window;
}

/* Every thread looks at its windows again before its next event; what it counted before that, it counted by
 * now. */
static void stop_windows(void) {
    peak_new_epoch();
    if (!hole_is_set(HOLE_BARRIER))
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
    set_seen(tally);
    set_limit(tally, tally_live_blocks(tally) + slot_window(slot));
}

/* A slot that was not measured since there are several threads has no windows from before. */
static int64_t measured_epoch(const struct peak *peak, const struct profile_slot *slot) {
    return slot && slot->measured > peak->told.shared_epoch ? slot->measured : peak->told.shared_epoch;
}

/* Whether the event, which the thread now looks at, was counted already when the peak was measured: only its
 * first one after that can be. change: in the thread's live bytes. */
static bool is_in_peak(const struct peak *peak, const struct thread *thread, int64_t change) {
    return thread->looked < peak->told.epoch && change != 0 &&
           thread->room + thread->ceiling == thread->at_peak;
}

/* Before or after an event that changed what was live to now: a measure may have seen either. */
static int64_t lowest_around(int64_t now, int64_t change) {
    return change > 0 ? now - change : now;
}

/* in_peak: the event was counted when the peak was measured. */
static void look_at_shared_slot(struct peak *peak, struct thread *thread, struct tally *tally, int64_t blocks,
                                int64_t bytes, bool in_peak) {
    uint32_t number = (uint32_t)(tally - thread->tallies);
    struct profile_slot *slot = slot_at(number);
    if (tally_epoch(tally) < peak->told.epoch && in_peak)
        save(tally, tally_epoch(tally), 0, 0);
    else if (tally_epoch(tally) < peak->told.epoch)
        save(tally, tally_epoch(tally), blocks, bytes);
    if (tally_epoch(tally) < peak->told.shared_epoch && slot) {
        if (tally_live_blocks(tally) - blocks > tally->limit)
            set_limit(tally, tally_live_blocks(tally) - blocks);
        note_most(slot, tally->limit);
    }
    if (tally_epoch(tally) < measured_epoch(peak, slot))
        set_limit(tally,
                  lowest_around(tally_live_blocks(tally), blocks) + (slot ? slot_window(slot) : INT32_MAX));
    set_seen(tally);
    if (!slot)
        hole_set(HOLE_MEMORY);
    else if (tally_live_blocks(tally) > tally->limit)
        measure_slot(slot, tally, number);
}

static void measure_all(struct peak *peak, struct thread *thread) {
    stop_windows();
    int64_t live = threads_live_bytes();
    peak->effort += MEASURE_EFFORT;
    if (live > peak->told.bytes) {
        peak->told.bytes = live;
        peak->told.epoch = epoch_now();
        threads_note_peak();
    }
    begin_windows(peak, live);
    set_ceiling(thread, thread->room + thread->ceiling + thread_window(peak));
}

static void look_at_thread(struct peak *peak, struct thread *thread, int64_t bytes) {
    /* Set anew by nothing but a measure, or the total could creep up by a window each time. */
    if (thread->looked < peak->measured)
        set_ceiling(thread, lowest_around(thread->room + thread->ceiling, bytes) + thread_window(peak));
    if (thread->room > 0 && !widen_window(peak, thread))
        measure_all(peak, thread);
    thread->looked = epoch_now();
}

void peak_look_shared(struct peak *peak, struct thread *thread, struct tally *tally, int64_t blocks,
                      int64_t bytes) {
    int error = errno;
    uint64_t signals = lock(peak);
    look_at_shared_slot(peak, thread, tally, blocks, bytes, is_in_peak(peak, thread, bytes));
    look_at_thread(peak, thread, bytes);
    unlock(peak, signals);
    errno = error;
}

void peak_look_both_shared(struct peak *peak, struct thread *thread, struct tally *from, int64_t old_bytes,
                           struct tally *to, int64_t bytes) {
    int error = errno;
    uint64_t signals = lock(peak);
    bool in_peak = is_in_peak(peak, thread, bytes - old_bytes);
    look_at_shared_slot(peak, thread, from, -1, -old_bytes, in_peak);
    look_at_shared_slot(peak, thread, to, 1, bytes, in_peak);
    look_at_thread(peak, thread, bytes - old_bytes);
    unlock(peak, signals);
    errno = error;
}

void peak_give_back(struct thread *thread) {
    struct peak *peak = the_peak();
    int error = errno;
    uint64_t signals = lock(peak);
    bool has_some = thread->looked >= peak->measured && thread->room < 0;
    int64_t most = has_some ? -thread->room / 8 * 7 : 0;
    set_ceiling(thread, thread->ceiling - most);
    peak->spare += most;
    unlock(peak, signals);
    errno = error;
}

void peak_reset_shared(struct peak *peak) {
    uint64_t signals = lock(peak);
    stop_windows();
    peak->told.bytes = threads_live_bytes();
    peak->told.epoch = peak->told.reset_epoch = epoch_now();
    peak->told.within = peak->effort = 0;
    begin_windows(peak, peak->told.bytes);
    threads_note_peak();
    unlock(peak, signals);
}
