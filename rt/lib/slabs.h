/* Threads and their slabs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_SLABS_H
#define ALLOCSITE_SLABS_H

#include "tally.h"

/* This thread's structure with a slab that holds both slots, to be handed to thread_release. NULL: no memory,
 * and the hole is set. */
struct thread *thread_acquire(uint32_t slot, uint32_t other);

/* The same with the extras of both. */
struct thread *thread_acquire_extras(uint32_t slot, uint32_t other);

void thread_release(struct thread *);

static inline struct tally *thread_tally(struct thread *thread, uint32_t slot) {
    return &thread->tallies[slot];
}

/* Indices given so far: the most threads that counted at once, and at least 1. */
uint32_t threads_count(void);

/* Over all threads, while they count on. */
int64_t threads_live_bytes(void);

/* What that found last is the peak. */
void threads_note_peak(void);
int64_t threads_live_blocks(uint32_t slot);

/* Calls visit for every tally of slot that was ever used, in any order. extra: NULL if it has none. */
typedef void thread_visitor(void *context, const struct tally *, const struct extra *extra);
void threads_visit(uint32_t slot, thread_visitor *, void *context);

#endif
