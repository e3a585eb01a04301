/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looking at the peak when an event asks for it. */
#include "lib/count/peak.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"

#include "lib/base/os.h"
#include "lib/count/threads.h"
#include "lib/store/slots.h"
#include "lib/store/store.h"

#include <errno.h>

/* With one thread a slot's most live blocks are looked at when it loses one: by how much they may be above
 * the most that were seen, and still be told from a slot that was not seen in this epoch. */
#define UNSEEN_MOST (PROFILE_EPOCH_STEP / 4)

struct floors peak_floors = {
    .lost = ~PROFILE_EPOCH_STEP, .gained = -PROFILE_EPOCH_STEP + UNSEEN_MOST, .resized = -PROFILE_EPOCH_STEP};

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

static int64_t epoch_now(void) {
    return ~__atomic_load_n(&peak_floors.lost, __ATOMIC_RELAXED);
}

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

static void new_epoch(void) {
    int64_t epoch = epoch_now() + PROFILE_EPOCH_STEP;
    if (is_past_the_last(epoch)) {
        hole_set(HOLE_PEAK);
        return;
    }
    set_epoch(epoch);
    set_gained_floor((peak_is_shared() ? 0 : UNSEEN_MOST) - epoch);
}

static void set_limit(struct tally *tally, int64_t limit) {
    shift(&tally->above, tally->limit - limit);
    tally->limit = limit;
}

#define PEAK_BLOCKS_MASK (PROFILE_EPOCH_STEP - 1)

static void set_seen(struct tally *tally) {
    shift(&tally->above, tally_epoch(tally) - epoch_now());
    tally->looked = epoch_now() | (tally->looked & PEAK_BLOCKS_MASK);
}

static void set_ceiling(struct thread *thread, int64_t ceiling) {
    shift(&thread->room, thread->ceiling - ceiling);
    thread->ceiling = ceiling;
}

/* Saves the live blocks and bytes from before the event, looked at in that epoch. */
static inline void save(struct tally *tally, int64_t epoch, int64_t blocks, int64_t bytes) {
    tally->looked = epoch | ((tally_live_blocks(tally) - blocks) & PEAK_BLOCKS_MASK);
    tally->peak_bytes = tally_live_bytes(tally) - bytes;
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
    new_epoch();
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

/* The most live blocks before the last reset are of no interest. */
static void forget_most(const struct peak *peak, struct tally *tally, int64_t blocks) {
    if (tally_epoch(tally) < peak->told.reset_epoch)
        set_limit(tally, tally_live_blocks(tally) - blocks);
}

static void look_shared(struct peak *peak, struct thread *thread, struct tally *tally, int64_t blocks,
                        int64_t bytes) {
    int error = errno;
    uint64_t signals = lock(peak);
    look_at_shared_slot(peak, thread, tally, blocks, bytes, is_in_peak(peak, thread, bytes));
    look_at_thread(peak, thread, bytes);
    unlock(peak, signals);
    errno = error;
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
        look_shared(peak, thread, tally, blocks, bytes);
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

/* One event of two slots: neither may take the other's part of it for a peak. */
static void peak_look_both(struct thread *thread, struct tally *from, int64_t old_bytes, struct tally *to,
                           int64_t bytes) {
    struct peak *peak = the_peak();
    forget_most(peak, from, -1);
    forget_most(peak, to, 1);
    if (!peak->told.shared_epoch) {
        bool begins = look_at_total(peak, thread, bytes - old_bytes, bytes < old_bytes);
        bool is_after = !peak->riser && !begins;
        look_at_slot(peak, from, -1, -old_bytes, is_after);
        look_at_slot(peak, to, 1, bytes, is_after);
        if (begins)
            begin_rise(NULL, peak, thread);
        return;
    }
    int error = errno;
    uint64_t signals = lock(peak);
    bool in_peak = is_in_peak(peak, thread, bytes - old_bytes);
    look_at_shared_slot(peak, thread, from, -1, -old_bytes, in_peak);
    look_at_shared_slot(peak, thread, to, 1, bytes, in_peak);
    look_at_thread(peak, thread, bytes - old_bytes);
    unlock(peak, signals);
    errno = error;
}

void *peak_look_moved(void *p, struct thread *thread, struct tally *from, uint64_t old_bytes,
                      struct tally *to, uint64_t bytes) {
    if (from == to)
        peak_look(thread, to, 0, (int64_t)(bytes - old_bytes));
    else
        peak_look_both(thread, from, (int64_t)old_bytes, to, (int64_t)bytes);
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
        peak_look_both(thread, from, (int64_t)bytes, to, (int64_t)bytes);
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
    new_epoch();
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
    new_epoch();
    peak->seen = false;
    peak->told.bytes = live;
    peak->told.epoch = epoch_now();
    set_ceiling(thread, live);
}

static void reset_shared(struct peak *peak) {
    stop_windows();
    peak->told.bytes = threads_live_bytes();
    peak->told.epoch = epoch_now();
    peak->told.within = peak->effort = 0;
    begin_windows(peak, peak->told.bytes);
    threads_note_peak();
}

void peak_reset(void) {
    struct peak *peak = the_peak();
    struct thread *thread = thread_acquire(0, 0);
    if (!thread)
        return;
    peak_alone = NULL;
    if (!peak->told.shared_epoch) {
        reset_alone(peak, thread);
        peak->told.reset_epoch = epoch_now();
    } else {
        uint64_t signals = lock(peak);
        reset_shared(peak);
        peak->told.reset_epoch = epoch_now();
        unlock(peak, signals);
    }
    thread_release(thread);
}

uint64_t peak_within(void) {
    return the_peak()->told.within;
}
