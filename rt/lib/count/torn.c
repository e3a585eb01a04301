/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events that were counted in part and left.
 *
 * An event is a few additions, and a signal handler may leave by a jump between any two of them, or a thread
 * be cancelled there. No event can notice that it was not finished, but what the additions went to is in
 * agreement again after each that was: with every block `above` of its tally changes, with every byte the
 * `room` of its thread. */
#include "lib/count/torn.h"

#include "lib/base/state.h"
#include "lib/count/threads.h"
#include "lib/who/parts.h"

static bool tally_is_whole(const struct tally *tally) {
    return tally->above == tally_live_blocks(tally) - tally->limit - tally_epoch(tally);
}

/* Adds up the live bytes of one slab. */
static bool slab_is_whole(const struct slab *slab, int64_t *live) {
    for (uint32_t slot = 1; slot < record_count() && KEY(slot) < slab->capacity; slot++) {
        const struct tally *tally = &slab->tallies[slot];
        if (!slot_is_in_totals(slot))
            continue;
        *live += tally_live_bytes(tally);
        if (!tally_is_whole(tally))
            return false;
    }
    return true;
}

static bool thread_is_whole(const struct thread *thread) {
    int64_t live = 0;
    for (uint32_t next = thread->slabs; next;) {
        const struct slab *slab = slab_peek(next - 1);
        if (!slab_is_whole(slab, &live))
            return false;
        next = slab->next;
    }
    return live == thread->room + thread->ceiling;
}

void torn_look(void) {
    if (runtime_owners && !threads_keep(thread_is_whole))
        hole_set(HOLE_TORN);
}
