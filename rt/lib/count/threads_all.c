/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All threads at once, while they go on counting: sums and conditions over them. */
#include "lib/count/threads.h"

#include "lib/base/local.h"
#include "lib/base/slot.h"

#include "lib/count/tally.h"

void threads_visit(uint32_t slot, thread_visitor *visit, void *context) {
    uint32_t slabs = threads_slabs();
    for (uint32_t i = 0; i < slabs; i++) {
        const struct slab *slab = slab_peek(i);
        if (!slab || KEY(slot) >= slab->capacity)
            continue;
        struct slab_counts counts = slab_counts(slab, slot);
        visit(context, i, &counts);
    }
}

static void add_live_blocks(void *sum, uint32_t slab, const struct slab_counts *counts) {
    (void)slab;
    *(int64_t *)sum += tally_live_blocks(counts->tally);
}

int64_t threads_live_blocks(uint32_t slot) {
    int64_t sum = 0;
    threads_visit(slot, add_live_blocks, &sum);
    return sum;
}

int64_t threads_live_bytes(void) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < threads_count(); i++) {
        struct thread *thread = thread_peek(i);
        if (thread)
            sum += thread->measured = __atomic_load_n(&thread->headroom, __ATOMIC_RELAXED) +
                                      __atomic_load_n(&thread->ceiling, __ATOMIC_RELAXED);
    }
    return sum;
}

void threads_ask_back(const struct thread *asking, int64_t least) {
    for (uint32_t i = 0; i < threads_count(); i++) {
        struct thread *thread = thread_peek(i);
        if (!thread || thread == asking ||
            thread->withheld - __atomic_load_n(&thread->headroom, __ATOMIC_RELAXED) <= least)
            continue;
        if (!__atomic_exchange_n(&thread->asked_back, true, __ATOMIC_SEQ_CST))
            __atomic_store_n(&thread->capacity, 0, __ATOMIC_RELAXED);
    }
}

void threads_note_peak(void) {
    for (uint32_t i = 0; i < threads_count(); i++) {
        struct thread *thread = thread_peek(i);
        if (thread)
            thread->at_peak = thread->measured;
    }
}

/* The number of turns grows when a thread takes the structure and when it leaves it, so it is even while no
 * thread counts there. */
static bool is_quiet(const struct thread *thread, uint32_t turns) {
    return thread == local.thread || turns % 2 == 0;
}

bool threads_are_quiet(void) {
    for (uint32_t i = 0; i < threads_count(); i++) {
        const struct thread *thread = thread_peek(i);
        if (thread && !is_quiet(thread, __atomic_load_n(&thread->turns, __ATOMIC_SEQ_CST)))
            return false;
    }
    return true;
}

/* If the structure was taken meanwhile, its new thread may have counted, so the law is not checked. */
static bool holds_if_quiet(const struct thread *thread, bool (*law)(const struct thread *)) {
    uint32_t turns = __atomic_load_n(&thread->turns, __ATOMIC_SEQ_CST);
    bool holds = !is_quiet(thread, turns) || law(thread);
    return holds || turns != __atomic_load_n(&thread->turns, __ATOMIC_SEQ_CST);
}

bool threads_keep(bool (*law)(const struct thread *)) {
    for (uint32_t i = 0; i < threads_count(); i++) {
        const struct thread *thread = thread_peek(i);
        if (thread && !holds_if_quiet(thread, law))
            return false;
    }
    return true;
}
