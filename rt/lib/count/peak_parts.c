/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peaks of threads and phases: the most bytes that a thread, or a thread in one phase, had allocated and
 * not released.
 *
 * The hot path compares a thread's live bytes with its ceiling alone. So the ceiling of a thread is lowered
 * to the largest value that sets no new peak, and the headroom above it is withheld. peak_parts_begin returns
 * it for a check of the total, peak_parts_end withholds it again. Phases are exact. Other peaks may be
 * exceeded by a 32nd, so that a thread that only grows is checked a logarithmic number of times. */
#include "lib/count/peak.h"

#include "lib/base/os.h"
#include "lib/count/threads.h"

static void part_note(struct profile_part_peak *peak, int64_t live) {
    if (live <= peak->bytes)
        return;
    peak->bytes = live;
    peak->time = os_now_coarse();
}

/* Returns the live bytes of the thread up to which this peak holds. */
static int64_t part_limit(struct profile_part_peak *peak, int64_t elsewhere, bool is_exact) {
    int64_t slack = is_exact ? 0 : peak->bytes / 32;
    if ((uint64_t)slack > peak->within)
        peak->within = (uint64_t)slack;
    return peak->bytes + slack + elsewhere;
}

/* Returns whether memory is there for the peaks of the thread. */
static bool parts_note(struct thread *thread) {
    struct profile_block *block = slab_block(thread->slab), *first = slab_block(thread->first_slab);
    int64_t live = thread->headroom + thread->ceiling;
    if (!block || !first)
        return false;
    part_note(&block->peak, live - thread->elsewhere);
    part_note(&first->thread_peak, live);
    return true;
}

void peak_parts_begin(struct thread *thread) {
    thread_set_ceiling(thread, thread->ceiling + thread->withheld);
    thread->withheld = 0;
}

void peak_parts_end(struct thread *thread) {
    if (!parts_note(thread))
        return;
    struct profile_block *block = slab_block(thread->slab), *first = slab_block(thread->first_slab);
    int64_t limit = part_limit(&first->thread_peak, 0, false);
    int64_t of_phase = part_limit(&block->peak, thread->elsewhere, block->phase);
    limit = of_phase < limit ? of_phase : limit;
    thread->withheld = thread->ceiling > limit ? thread->ceiling - limit : 0;
    thread_set_ceiling(thread, thread->ceiling - thread->withheld);
}

/* The ceiling must be raised with the lock held, which costs two system calls; so most events of a growing
 * phase only note the new peak. */
bool peak_parts_alone(struct thread *thread, const struct tally *tally, int64_t blocks) {
    int64_t floor = blocks < 0 ? peak_floors.released : peak_floors.allocated;
    bool is_withheld = thread->headroom > 0 && thread->headroom <= thread->withheld;
    return is_withheld && tally->above <= floor && ++thread->noted_alone % 64 && parts_note(thread);
}

void peak_parts_leave(struct thread *thread, uint32_t slab) {
    int64_t live = thread->headroom + thread->ceiling;
    struct profile_block *from = slab_block(thread->slab), *to = slab_block(slab);
    parts_note(thread);
    if (from)
        from->live = live - thread->elsewhere;
    thread->elsewhere = live - (to ? to->live : 0);
}

void peak_parts_single(const struct peak *peak) {
    struct thread *thread = thread_peek(0);
    struct profile_block *block = thread && thread->slabs ? slab_block(thread->first_slab) : NULL;
    const struct profile_part_peak found = {.bytes = peak->published.bytes,
                                            .time = store_header()->peak_time};
    if (block && found.bytes > block->peak.bytes)
        block->peak = block->thread_peak = found;
}
