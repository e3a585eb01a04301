/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread's counts for a slot, and the peak, which must be checked while it happens. The hot path.
 *
 * A slot gains blocks by allocations and reallocs, and loses them by frees and reallocs, in any thread. Its
 * live blocks are the sum over all threads; one thread's part may be negative.
 *
 * Peak: the largest number of live bytes, just before they first fell from it. Each rise above the previous
 * peak begins an epoch. A slot must save its live blocks only at its first change after such a rise has
 * ended: until then they are what they were at the peak. So an event costs two comparisons, however many
 * sites there are:
 *
 *   room > 0          the thread's live bytes exceed its headroom: the peak must be checked
 *   above > floor     the slot was not checked in this epoch, or its live blocks exceed the most seen so far
 *
 * If one is true, count/peak.c does the check. With one thread, `headroom` is the distance from the peak,
 * which is then exact. The maximum of live blocks must be updated when a slot loses a block, not each time it
 * gains one. During a rise of the peak, only the event that ends the rise must be checked. So each kind of
 * event has its own floor. If there are several threads, each gets a share of the headroom of all, and their
 * live bytes are added up when a share is used up. The report states by how much the true peak may exceed the
 * one that was found. */
#ifndef ALLOCSITE_LIB_COUNT_TALLY_H
#define ALLOCSITE_LIB_COUNT_TALLY_H

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The floors for three kinds of events: a block is released, a block is allocated, or only a size changes.
 * Epoch 0 is not used, so that an untouched tally counts as unchecked. */
struct floors {
    int64_t released, allocated, resized;
};

extern struct floors peak_floors __attribute__((visibility("hidden"), aligned(64)));

/* One instruction on the thread's own slab: no signal handler can come between read and write. */
static inline void counter_bump(uint64_t *counter, uint64_t by) {
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(by));
}

/* True from the start of a second thread on. */
extern bool threads_several __attribute__((visibility("hidden")));

/* For counters that all threads share. An atomic addition takes four times as long as the hot path. */
static inline void bump_shared(uint64_t *counter, uint64_t by) {
    if (LIKELY(!threads_several))
        counter_bump(counter, by);
    else
        __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
}

/* Increments counters[index] in one instruction; compilers would compute the address first. */
static inline void count_shared(uint64_t *counters, uint64_t index) {
    if (LIKELY(!threads_several)) {
        __asm__ volatile("addq $1, (%0,%1,8)" : : "r"(counters), "r"(index) : "memory", "cc");
        return;
    }
    bump_shared(&counters[index], 1);
}

/* A separate function because a negation would take another instruction. */
static inline void counter_unbump(int64_t *value, uint64_t by) {
    __asm__("subq %1, %0" : "+m"(*value) : "er"(by));
}

static inline void counter_shift(int64_t *value, int64_t by) {
    counter_bump((uint64_t *)value, (uint64_t)by);
}

/* Like counter_shift; returns whether the value is then above zero. */
static inline bool shift_above_zero(int64_t *value, int64_t by) {
    bool above;
    __asm__("addq %2, %0" : "+m"(*value), "=@ccg"(above) : "er"(by));
    return above;
}

static inline int64_t tally_live_blocks(const struct tally *tally) {
    return (int64_t)(tally->allocated - tally->released);
}

static inline int64_t tally_live_bytes(const struct tally *tally) {
    return (int64_t)(tally->allocated_bytes - tally->released_bytes);
}

/* Checks the peak after an event that changed live blocks, bytes and room by these amounts. Keeps errno. */
void peak_look(struct thread *, struct tally *, int64_t blocks, int64_t bytes);

/* Like peak_look, for an allocated or released block at p. Return p, so that callers need not save it. */
void *peak_look_allocated(void *p, struct thread *, struct tally *, uint64_t bytes)
    __attribute__((returns_nonnull));
void *peak_look_released(void *p, struct thread *, struct tally *, uint64_t bytes);

/* Only one thread writes a slab: its own, or a borrowed one if it has none. The slab holds the slot. */
#define TALLY_ASSERT_WRITER(thread, tally)                                                                   \
    ASSERT(((thread) == local.thread || !local.thread) && (thread)->turns % 2 == 1 &&                        \
           (uint64_t)((tally) - (thread)->tallies) <= (thread)->held >> KEY_SHIFT)

/* True: peak_look must be called for the event. The other functions in _unseen return the same. */
static inline bool tally_gain_unseen(struct thread *thread, struct tally *tally, uint64_t bytes) {
    TALLY_ASSERT_WRITER(thread, tally);
    counter_bump(&tally->allocated, 1);
    counter_bump(&tally->allocated_bytes, bytes);
    counter_shift(&tally->above, 1);
    return UNLIKELY(shift_above_zero(&thread->headroom, (int64_t)bytes)) ||
           UNLIKELY(tally->above > peak_floors.allocated);
}

static inline void tally_gain(struct thread *thread, struct tally *tally, uint64_t bytes) {
    if (tally_gain_unseen(thread, tally, bytes))
        peak_look(thread, tally, 1, (int64_t)bytes);
}

static inline bool tally_lose_unseen(struct thread *thread, struct tally *tally, uint64_t bytes) {
    TALLY_ASSERT_WRITER(thread, tally);
    counter_bump(&tally->released, 1);
    counter_bump(&tally->released_bytes, bytes);
    counter_shift(&tally->above, -1);
    counter_unbump(&thread->headroom, bytes);
    return UNLIKELY(tally->above > peak_floors.released);
}

static inline void tally_lose(struct thread *thread, struct tally *tally, uint64_t bytes) {
    if (tally_lose_unseen(thread, tally, bytes))
        peak_look(thread, tally, -1, -(int64_t)bytes);
}

/* For counts that are in no peak: chunks of custom allocators, and events without noted owners. */
static inline void tally_gain_alone(struct tally *tally, uint64_t bytes) {
    counter_bump(&tally->allocated, 1);
    counter_bump(&tally->allocated_bytes, bytes);
}

static inline void tally_lose_alone(struct tally *tally, uint64_t bytes) {
    counter_bump(&tally->released, 1);
    counter_bump(&tally->released_bytes, bytes);
}

/* Returns the tally of a key. */
static inline struct tally *tally_of_key(struct thread *thread, uint32_t key) {
    _Static_assert(sizeof(struct tally) == 1u << (KEY_SHIFT - 4), "an index by one shift");
    return (struct tally *)((char *)thread->tallies + (key >> 4));
}

static inline struct extra *tally_extra(const struct thread *thread, const struct tally *tally) {
    return &thread->extras[tally - thread->tallies];
}

/* In the order that profile.h promises to readers. */
static inline void tally_move_counts(struct tally *from, struct extra *from_extra, uint64_t old_bytes,
                                     struct tally *to, struct extra *to_extra, uint64_t bytes) {
    counter_bump(&from->released, 1);
    counter_bump(&from->released_bytes, old_bytes);
    counter_bump(&from_extra->moved, 1);
    counter_bump(&from_extra->moved_bytes, old_bytes);
    counter_bump(&to->allocated, 1);
    counter_bump(&to->allocated_bytes, bytes);
    counter_bump(&to_extra->reallocs, 1);
    counter_bump(&to_extra->realloc_bytes, bytes);
    counter_bump(&to_extra->realloc_old_bytes, old_bytes);
}

/* Like peak_look, for a realloc. Returns p, so that callers need not save it. */
void *peak_look_moved(void *p, struct thread *, struct tally *from, uint64_t old_bytes, struct tally *to,
                      uint64_t bytes) __attribute__((returns_nonnull));

static inline bool tally_move_unseen(struct tally *from, struct tally *to) {
    if (from == to)
        return UNLIKELY(to->above > peak_floors.resized);
    counter_shift(&from->above, -1);
    counter_shift(&to->above, 1);
    return UNLIKELY(from->above > peak_floors.released) || UNLIKELY(to->above > peak_floors.allocated);
}

/* Counts a realloc: a block moves to another slot, or stays in its slot with another size. The thread must
 * have extras of both slots. ends: calls event_end after counting. Returns p. */
static inline void *tally_move(void *p, struct thread *thread, struct tally *from, uint64_t old_bytes,
                               struct tally *to, uint64_t bytes, bool ends) {
    TALLY_ASSERT_WRITER(thread, from);
    TALLY_ASSERT_WRITER(thread, to);
    tally_move_counts(from, tally_extra(thread, from), old_bytes, to, tally_extra(thread, to), bytes);
    if (ends)
        event_end();
    if (UNLIKELY(shift_above_zero(&thread->headroom, (int64_t)(bytes - old_bytes)))) {
        tally_move_unseen(from, to);
        return peak_look_moved(p, thread, from, old_bytes, to, bytes);
    }
    return UNLIKELY(tally_move_unseen(from, to)) ? peak_look_moved(p, thread, from, old_bytes, to, bytes) : p;
}

#endif
