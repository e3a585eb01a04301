/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums over slabs, since the last reset. */
#include "lib/count/sums.h"

#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/count/peak.h"
#include "lib/count/threads.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"

static struct table bases = {.element = sizeof(struct profile_base),
                             .first = PROFILE_BASES_FIRST,
                             .fork = OS_FORK_WIPES,
                             .areas = &store_areas,
                             .kind = PROFILE_BASES};

#define ADD_READ(name, value) sum->name += __atomic_load_n(&value, __ATOMIC_ACQUIRE);
#define ADD_EXTRA(name)       ADD_READ(name, counts->extra->name)
#define ADD_RARE(name)        ADD_READ(name, counts->rare->name)
#define ADD_TALLY(name)       ADD_READ(name, counts->tally->name)

static void sum_add_went(struct sum *sum, const struct slab_counts *counts) {
    PROFILE_EXTRA_WENT(ADD_EXTRA)
    PROFILE_TALLY_WENT(ADD_TALLY)
}

static void sum_add_came(struct sum *sum, const struct slab_counts *counts) {
    PROFILE_RARE(ADD_RARE)
    PROFILE_EXTRA_CAME(ADD_EXTRA)
    PROFILE_TALLY_CAME(ADD_TALLY)
}

static void visit_went(void *sum, uint32_t slab, const struct slab_counts *counts) {
    (void)slab;
    sum_add_went(sum, counts);
}

static void visit_came(void *context, uint32_t slab, const struct slab_counts *counts) {
    struct sum *sum = context;
    (void)slab;
    peak_share(counts->tally, &sum->peak_blocks, &sum->peak_bytes);
    sum_add_came(sum, counts);
    int64_t most = peak_tally_most(counts->tally);
    if (most > sum->most)
        sum->most = most;
}

void sum_add(struct sum *sum, const struct slab_counts *counts) {
    sum_add_went(sum, counts);
    sum_add_came(sum, counts);
}

static void sum_subtract(struct sum *sum, const struct flow *base) {
#define TAKE_OFF(name) sum->name -= base->name;
    PROFILE_COUNTERS(TAKE_OFF)
}

void sum_slot(uint32_t slot, struct sum *sum) {
    static const struct flow none;
    const struct profile_slot *known = slot_known(slot);
    const struct profile_base *known_base = table_peek(&bases, slot);
    const struct flow *base = known_base ? &known_base->flow : &none;
    *sum = (struct sum){.inherited_blocks = known->inherited_blocks,
                        .inherited_bytes = known->inherited_bytes,
                        .most_within = known->most_within};
    threads_visit(slot, visit_went, sum);
    threads_visit(slot, visit_came, sum);
    sum_subtract(sum, base);
    if ((int64_t)known->most > sum->most)
        sum->most = (int64_t)known->most;
    int64_t carried_blocks = (int64_t)(known->inherited_blocks - (base->allocated - base->released));
    sum->most += carried_blocks;
    sum->peak_blocks += carried_blocks;
    sum->peak_bytes += (int64_t)(known->inherited_bytes - (base->allocated_bytes - base->released_bytes));
}

/* A thread's live blocks at the peak may be negative if a new peak is found during the addition. */
static uint64_t not_below_zero(int64_t value) {
    return value > 0 ? (uint64_t)value : 0;
}

void sum_counters(struct counters *counters, const struct sum *sum) {
#define FROM_SUM(name) .name = sum->name,
    *counters = (struct counters){.allocs = sum->allocated - sum->reallocs,
                                  .alloc_bytes = sum->allocated_bytes - sum->realloc_bytes,
                                  .frees = sum->released - sum->moved,
                                  .freed_bytes = sum->released_bytes - sum->moved_bytes,
                                  .inherited_blocks = sum->inherited_blocks,
                                  .inherited_bytes = sum->inherited_bytes,
                                  .peak_blocks = not_below_zero(sum->peak_blocks),
                                  .peak_bytes = not_below_zero(sum->peak_bytes),
                                  .max_live_blocks = not_below_zero(sum->most),
                                  .max_live_blocks_within = sum->most_within,
                                  PROFILE_EXTRA(FROM_SUM) PROFILE_RARE(FROM_SUM)};
    counters->live_blocks = sum->allocated - sum->released + counters->inherited_blocks;
    counters->live_bytes = sum->allocated_bytes - sum->released_bytes + counters->inherited_bytes;
    if (!runtime_owners)
        counters_keep_all(counters);
}

static void base_add(struct flow *base, const struct sum *sum) {
#define RAISE(name) base->name += sum->name;
    PROFILE_COUNTERS(RAISE)
}

static void reset_slot(uint32_t number) {
    struct sum sum;
    sum_slot(number, &sum);
#define OR_COUNTED(name) | sum.name
    if (!(0 PROFILE_COUNTERS(OR_COUNTED)))
        return;
    struct profile_base *base = table_at(&bases, number);
    struct profile_slot *slot = slot_at(number);
    if (!base || !slot) {
        gap_set(GAP_MEMORY);
        return;
    }
    base_add(&base->flow, &sum);
    slot->inherited_blocks += sum.allocated - sum.released;
    slot->inherited_bytes += sum.allocated_bytes - sum.released_bytes;
    slot->most = base->flow.allocated - base->flow.released;
    slot->most_within = 0;
    slot->windows = slot->measures = 0;
    slot->measured = store_header()->peak.reset_epoch;
}

void sums_reset(void) {
    for (uint32_t slot = 1; slot < record_count(); slot++)
        reset_slot(slot);
}

/* ---- Events that were counted only in part.
 *
 * An event is a few additions. A signal handler may jump away between any two of them, or the thread may be
 * cancelled there. The event itself cannot notice this. But after each complete event the counters agree:
 * `above` of a tally changes with each block, and `headroom` of a thread with each byte. */

static bool tally_is_whole(const struct tally *tally) {
    return tally->above == tally_live_blocks(tally) - tally->limit - tally_epoch(tally);
}

/* Also adds up the live bytes of the slab. */
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
    return live == thread->headroom + thread->ceiling;
}

void torn_look(void) {
    if (local.begun || (runtime_owners && !threads_keep(thread_is_whole)))
        gap_set(GAP_TORN);
}
