/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counts of a thread for a slot, and the peak, which needs to be looked at as it happens. The hot path.
 *
 * Blocks come to a slot by an allocation or a realloc and go from it by a free or by being taken over in a
 * realloc, in whichever thread that happens: what is live is the sum over all threads, and one thread's part
 * of it may be negative.
 *
 * Peak. It is the highest that the bytes of all live blocks came to, at the moment before they first fell
 * from there. Every rise above the peak so far begins an epoch. A slot needs to remember its own live blocks
 * only when they change for the first time after such a rise has ended: until then they still are what they
 * were at the peak. So an event costs two comparisons, whatever the number of sites:
 *
 *   room > 0          the thread's live bytes have risen above what they may before it must look
 *   above > floor     the slot has not been looked at in this epoch, or its live blocks are above the
 *                     most that were seen
 *
 * and count/peak.c does the looking. With one thread room is the distance from the peak, which is exact. The
 * most live blocks of a slot are of interest when one of them goes, not at each that comes, and during a rise
 * nothing but what ends it is: so each kind of event has a floor of its own. With several threads each may
 * rise by a part of what all of them may before their live bytes must be added up, and the report states how
 * far that goes above the peak. */
#ifndef ALLOCSITE_LIB_COUNT_TALLY_H
#define ALLOCSITE_LIB_COUNT_TALLY_H

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The floors of what loses a block, of what gains one and of what only changes its size. Of no epoch 0, so
 * that an untouched tally has not been seen. */
struct floors {
    int64_t lost, gained, resized;
};

extern struct floors peak_floors __attribute__((visibility("hidden"), aligned(64)));

/* One instruction on the owner's slab: a signal handler cannot come between reading and writing. */
static inline void bump(uint64_t *counter, uint64_t by) {
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(by));
}

/* Whether there may be more threads than one, as there may be from the first one on that was started. */
extern bool threads_several __attribute__((visibility("hidden")));

/* Of what all threads share. An atomic addition takes four times as long as all of the hot path's. */
static inline void bump_shared(uint64_t *counter, uint64_t by) {
    if (LIKELY(!threads_several))
        bump(counter, by);
    else
        __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
}

/* One more of counters[index]; compilers would make the address first. */
static inline void count_shared(uint64_t *counters, uint64_t index) {
    if (LIKELY(!threads_several)) {
        __asm__ volatile("addq $1, (%0,%1,8)" : : "r"(counters), "r"(index) : "memory", "cc");
        return;
    }
    bump_shared(&counters[index], 1);
}

/* Of its own, for a negation would take an instruction more. */
static inline void unbump(int64_t *value, uint64_t by) {
    __asm__("subq %1, %0" : "+m"(*value) : "er"(by));
}

static inline void shift(int64_t *value, int64_t by) {
    bump((uint64_t *)value, (uint64_t)by);
}

/* The same, and whether the value is above zero then. */
static inline bool shift_above_zero(int64_t *value, int64_t by) {
    bool above;
    __asm__("addq %2, %0" : "+m"(*value), "=@ccg"(above) : "er"(by));
    return above;
}

static inline int64_t tally_live_blocks(const struct tally *tally) {
    return (int64_t)(tally->gained - tally->lost);
}

static inline int64_t tally_live_bytes(const struct tally *tally) {
    return (int64_t)(tally->gained_bytes - tally->lost_bytes);
}

/* After an event of the slot that changed its live blocks and bytes, and the thread's room, by so much.
 * Keeps errno. */
void peak_look(struct thread *, struct tally *, int64_t blocks, int64_t bytes);

/* The same for the block at p, which came or went. They return p, so that their callers need not save it. */
void *peak_look_gained(void *p, struct thread *, struct tally *, uint64_t bytes)
    __attribute__((returns_nonnull));
void *peak_look_lost(void *p, struct thread *, struct tally *, uint64_t bytes);

/* True: peak_look is to be called for it. */
static inline bool tally_gain_unseen(struct thread *thread, struct tally *tally, uint64_t bytes) {
    bump(&tally->gained, 1);
    bump(&tally->gained_bytes, bytes);
    shift(&tally->above, 1);
    return UNLIKELY(shift_above_zero(&thread->room, (int64_t)bytes)) ||
           UNLIKELY(tally->above > peak_floors.gained);
}

static inline void tally_gain(struct thread *thread, struct tally *tally, uint64_t bytes) {
    if (tally_gain_unseen(thread, tally, bytes))
        peak_look(thread, tally, 1, (int64_t)bytes);
}

static inline bool tally_lose_unseen(struct thread *thread, struct tally *tally, uint64_t bytes) {
    bump(&tally->lost, 1);
    bump(&tally->lost_bytes, bytes);
    shift(&tally->above, -1);
    unbump(&thread->room, bytes);
    return UNLIKELY(tally->above > peak_floors.lost);
}

static inline void tally_lose(struct thread *thread, struct tally *tally, uint64_t bytes) {
    if (tally_lose_unseen(thread, tally, bytes))
        peak_look(thread, tally, -1, -(int64_t)bytes);
}

/* Where nobody looks for a peak: of backing, which is in no total, and where owners are not noted. */
static inline void tally_gain_alone(struct tally *tally, uint64_t bytes) {
    bump(&tally->gained, 1);
    bump(&tally->gained_bytes, bytes);
}

static inline void tally_lose_alone(struct tally *tally, uint64_t bytes) {
    bump(&tally->lost, 1);
    bump(&tally->lost_bytes, bytes);
}

/* The tally of a key. */
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
    bump(&from->lost, 1);
    bump(&from->lost_bytes, old_bytes);
    bump(&from_extra->moved, 1);
    bump(&from_extra->moved_bytes, old_bytes);
    bump(&to->gained, 1);
    bump(&to->gained_bytes, bytes);
    bump(&to_extra->reallocs, 1);
    bump(&to_extra->realloc_bytes, bytes);
    bump(&to_extra->realloc_old_bytes, old_bytes);
}

/* After a realloc, as peak_look. Returns p, so that its callers need not save it. */
void *peak_look_moved(void *p, struct thread *, struct tally *from, uint64_t old_bytes, struct tally *to,
                      uint64_t bytes) __attribute__((returns_nonnull));

static inline bool tally_move_unseen(struct tally *from, struct tally *to) {
    if (from == to)
        return UNLIKELY(to->above > peak_floors.resized);
    shift(&from->above, -1);
    shift(&to->above, 1);
    return UNLIKELY(from->above > peak_floors.lost) || UNLIKELY(to->above > peak_floors.gained);
}

/* A realloc: a block goes from one slot to another, or stays in its own with another size. The thread must
 * have extras of both. ends: what is counted here ends the event. Returns p. */
static inline void *tally_move(void *p, struct thread *thread, struct tally *from, uint64_t old_bytes,
                               struct tally *to, uint64_t bytes, bool ends) {
    tally_move_counts(from, tally_extra(thread, from), old_bytes, to, tally_extra(thread, to), bytes);
    if (ends)
        event_end();
    if (UNLIKELY(shift_above_zero(&thread->room, (int64_t)(bytes - old_bytes)))) {
        tally_move_unseen(from, to);
        return peak_look_moved(p, thread, from, old_bytes, to, bytes);
    }
    return UNLIKELY(tally_move_unseen(from, to)) ? peak_look_moved(p, thread, from, old_bytes, to, bytes) : p;
}

/* A block that was counted for one slot is another's; or was, when it was freed; or has only come. */
void tally_disown_gain(struct tally *from, struct tally *to, uint64_t bytes);
void tally_disown_freed(struct tally *from, struct tally *to, uint64_t bytes);
void tally_disown(struct thread *, struct tally *from, struct tally *to, uint64_t bytes);

#endif
