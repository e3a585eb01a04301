/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads and their slabs. */
#ifndef ALLOCSITE_LIB_COUNT_THREADS_H
#define ALLOCSITE_LIB_COUNT_THREADS_H

#include "lib/base/local.h"
#include "lib/count/tally.h"
#include "lib/store/store.h"
#include "profile.h"

#include <stdbool.h>

/* ---- Slabs: one thread's tallies, extras and rares by slot, for one phase. */

/* Wiped by fork, except for the memory: a child counts in its parent's, which reads as zero. */
struct slab {
    uint32_t capacity, extra_capacity, rare_capacity; /* keys from KEY(1) to below these fit */
    struct tally *tallies;
    struct extra *extras;
    struct rare *rares;
    profile_name phase; /* 0: outside of all phases */
    uint32_t thread;    /* index of its thread */
    uint32_t next;      /* number + 1 of the thread's next slab; 0: last */
};

/* Makes an empty slab with that number. Returns false if memory is out. */
bool slab_make(uint32_t number, profile_name phase, uint32_t thread, uint32_t next);

/* Set in a child forked by a signal handler that interrupted an event. The rest of this event, counted before
 * the child makes its first slab, belongs to neither process. */
extern bool forked_within_event __attribute__((visibility("hidden")));

/* Returns NULL if there is none. */
const struct slab *slab_peek(uint32_t number);

/* Returns its block in the profile; NULL if memory is out. */
struct profile_block *slab_block(uint32_t number);

/* Returns whether any of the addresses is in the memory of a slab, used or reserved. */
bool slab_overlaps(uintptr_t begin, uintptr_t end);

/* Extend the slab until it holds the slot. Called only by the thread that counts there, with signals blocked.
 * Return NULL if memory is out. */
const struct slab *slab_hold(uint32_t number, uint32_t slot, bool extras);
struct rare *slab_rare(uint32_t number, uint32_t slot);

/* The counts of a slot below the slab's capacity; arrays that do not hold the slot read as zeros. */
struct slab_counts {
    const struct tally *tally;
    const struct extra *extra;
    const struct rare *rare;
};

struct slab_counts slab_counts(const struct slab *, uint32_t slot);

/* ---- Threads and their slabs. */

/* Returns this thread's structure with a slab that holds both slots; it must be passed to thread_release.
 * Returns NULL, and sets the gap, if memory is out. */
struct thread *thread_acquire(uint32_t slot, uint32_t other);

/* Like thread_acquire; the extras hold both slots too. */
struct thread *thread_acquire_extras(uint32_t slot, uint32_t other);

/* Returns a slot's rare counters of an acquired thread. NULL, and the gap is set, if memory is out. */
struct rare *thread_rare(struct thread *, uint32_t slot);

void thread_release(struct thread *);

static inline struct tally *thread_tally(struct thread *thread, uint32_t slot) {
    return &thread->tallies[slot];
}

/* Returns the number of thread indices: the most threads that counted at once, at least 1. */
uint32_t threads_count(void);

/* Returns whether this process has that id and has counted an event since it was started or forked. False in
 * a child of vfork, which counts for its parent. */
bool threads_count_for(int32_t number);

/* Returns the thread with an index below threads_count(); NULL if it does not exist yet. */
struct thread *thread_peek(uint32_t index);

/* Sums over all threads while they go on counting. */
int64_t threads_live_bytes(void);

/* Makes the sum that threads_live_bytes found last the peak. */
void threads_note_peak(void);

/* Makes every other thread whose headroom exceeds `least` call peak_give_back at its next event. */
void threads_ask_back(const struct thread *asking, int64_t least);

int64_t threads_live_blocks(uint32_t slot);

/* Returns whether all other threads that counted have ended. */
bool threads_are_quiet(void);

/* Returns whether the law holds for this and all ended threads. Others may be in the middle of an event. */
bool threads_keep(bool (*law)(const struct thread *));

/* Returns the number of slabs that were made; their numbers start at 0. */
uint32_t threads_slabs(void);

/* Calls visit for every tally of the slot, with the number of its slab, in any order. */
typedef void thread_visitor(void *context, uint32_t slab, const struct slab_counts *);
void threads_visit(uint32_t slot, thread_visitor *, void *context);

/* Stops or resumes counting of allocated blocks. Losses of counted blocks are counted in any case.
 * threads_are_paused first handles a request to start or stop that another process has written to the header
 * of the file. */
void threads_pause(bool pause);
bool threads_are_paused(void);

/* Like threads_pause(false), also for a program that was started with enabled=0. */
void threads_start(void);

/* Returns whether another process has made any request. */
static inline bool threads_are_asked(void) {
    const struct profile_header *header = __atomic_load_n(&store_header_made, __ATOMIC_ACQUIRE);
    return header && __atomic_load_n(&header->requests, __ATOMIC_RELAXED);
}

/* Clears these requests in the header. Returns whether any of them was set for this process. */
bool threads_take_request(uint32_t requests);

/* Diverts all events from the hot path, or stops doing so. */
void threads_watch(bool watch);

/* Counts this thread's events in the phase from now on. If there is no room for another phase, the events
 * count outside of all phases, and the gap is set. */
void thread_enter_phase(profile_name phase);

/* Gives this thread a slab from now on, which may have counts of ended threads. */
void thread_keep_slab(void);

/* Calls visit for each slab of this thread. */
void thread_visit_slabs(void (*visit)(void *context, const struct slab *), void *context);

/* thread_hide sends this thread's sited calls to the slow path while a custom allocator runs. thread_show
 * undoes that. */
void thread_hide(void);
void thread_show(void);

/* ---- The phases of a thread. */

/* Enter and leave a phase. This thread's events count in the innermost one. */
void phase_push(profile_name);
void phase_pop(void);

/* Returns the innermost phase; 0: outside of all. */
profile_name phase_now(void);

#endif
