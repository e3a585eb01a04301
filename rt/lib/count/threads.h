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

/* All but the memory is wiped by fork: a child counts in its parent's, which reads as zero. */
struct slab {
    uint32_t capacity, extra_capacity, rare_capacity; /* keys from KEY(1) to below fit */
    struct tally *tallies;
    struct extra *extras;
    struct rare *rares;
    profile_name phase; /* 0: outside of all */
    uint32_t thread;    /* its index */
    uint32_t next;      /* number + 1 of another one of the thread; 0: last */
};

/* A slab of that number that holds nothing yet. False: no memory. */
bool slab_make(uint32_t number, profile_name phase, uint32_t thread, uint32_t next);

/* Set in a child that a signal handler has forked within an event: what it counts before its first slab is
 * made is the rest of that, which is nobody's. */
extern bool forked_within_event __attribute__((visibility("hidden")));

/* NULL: there is none. */
const struct slab *slab_peek(uint32_t number);

/* Whether any of the addresses is a slab's, used or reserved. */
bool slab_overlaps(uintptr_t begin, uintptr_t end);

/* Makes room for the slot. Only the thread that counts there may call it, and with signals held. NULL: no
 * memory. */
const struct slab *slab_hold(uint32_t number, uint32_t slot, bool extras);
struct rare *slab_rare(uint32_t number, uint32_t slot);

/* What a slab has of a slot below its capacity; zeros where it does not hold the slot. */
struct slab_counts {
    const struct tally *tally;
    const struct extra *extra;
    const struct rare *rare;
};

struct slab_counts slab_counts(const struct slab *, uint32_t slot);

/* ---- Threads and their slabs. */

/* This thread's structure with a slab that holds both slots, to be handed to thread_release. NULL: no memory,
 * and the hole is set. */
struct thread *thread_acquire(uint32_t slot, uint32_t other);

/* The same with the extras of both. */
struct thread *thread_acquire_extras(uint32_t slot, uint32_t other);

/* The rare counters of a slot, of the thread that was acquired for it. NULL: no memory, and the hole is set.
 */
struct rare *thread_rare(struct thread *, uint32_t slot);

void thread_release(struct thread *);

static inline struct tally *thread_tally(struct thread *thread, uint32_t slot) {
    return &thread->tallies[slot];
}

/* Indices given so far: the most threads that counted at once, and at least 1. */
uint32_t threads_count(void);

/* Whether this process has that number and has counted something since it was started or forked. False in a
 * child of vfork, which counts for its parent. */
bool threads_count_for(int32_t number);

/* The thread of an index below that; NULL: there is none yet. */
struct thread *thread_peek(uint32_t index);

/* Over all threads, while they count on. */
int64_t threads_live_bytes(void);

/* The sum that threads_live_bytes found last is the peak. */
void threads_note_peak(void);

/* At its next event each other thread that may rise by more than least calls peak_give_back. */
void threads_ask_back(const struct thread *asking, int64_t least);

int64_t threads_live_blocks(uint32_t slot);

/* Whether no other thread counts now: those that did have ended. */
bool threads_are_quiet(void);

/* Whether the law holds for this thread and for what all that have ended have left. Of others that count on,
 * any moment may be in the middle of an event. */
bool threads_keep(bool (*law)(const struct thread *));

/* Slabs that threads have counted in so far, which have the numbers from 0 on. */
uint32_t threads_slabs(void);

/* Calls visit for every tally of slot that was ever used, with the number of its slab, in any order. */
typedef void thread_visitor(void *context, uint32_t slab, const struct slab_counts *);
void threads_visit(uint32_t slot, thread_visitor *, void *context);

/* Nothing that comes is counted, or all is again. Counted blocks that go are counted in any case.
 * threads_are_paused first carries out a request to start or stop that another process has left in the header
 * of the file. */
void threads_pause(bool pause);
bool threads_are_paused(void);

/* The same as threads_pause(false), also where the program was started with enabled=0. */
void threads_start(void);

/* Whether another process has asked for anything. */
static inline bool threads_are_asked(void) {
    const struct profile_header *header = __atomic_load_n(&store_header_made, __ATOMIC_ACQUIRE);
    return header && __atomic_load_n(&header->requests, __ATOMIC_RELAXED);
}

/* Clears these requests in the header. Returns whether any of them was set for this process. */
bool threads_take_request(uint32_t requests);

/* No event is counted on the hot path, or all are again. */
void threads_watch(bool watch);

/* Events that this thread counts from here on belong to the phase; outside of all if there is no room for one
 * more, and the hole is set. */
void thread_enter_phase(profile_name phase);

/* This thread has a slab from here on, with what others may have counted there before. */
void thread_keep_slab(void);

/* Calls visit for each slab that this thread counts in. */
void thread_visit_slabs(void (*visit)(void *context, const struct slab *), void *context);

/* Sends this thread's sited calls the slow way, which looks at the scope; and back. */
void thread_hide(void);
void thread_show(void);

/* ---- The phases that a thread is in. */

/* Events that this thread counts belong to the innermost one. */
void phase_push(profile_name);
void phase_pop(void);

/* 0: outside of all. */
profile_name phase_now(void);

#endif
