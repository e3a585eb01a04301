/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the counters of a profile's slots. */
#include "dump/profile/views.h"

#include "base/arrays.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_blocks(const void *a, const void *b) {
    const struct profile_flow *left = a, *right = b;
    return compare_u64(left->block, right->block);
}

/* Only blocks with counters that are also in the file: any other number may be wrong. */
static void list_flows(struct profile_sweep *sweep) {
    const struct profile_areas *areas = sweep->areas;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < areas->span_count; i++) {
        const struct profile_span *span = &areas->spans[i];
        if (profile_is_of_block(span->kind) && (!count || sweep->flows[count - 1].block != span->block) &&
            profile_element(areas, PROFILE_BLOCKS, span->block))
            sweep->flows[count++].block = span->block;
    }
    qsort(sweep->flows, count, sizeof *sweep->flows, compare_blocks);
    for (size_t i = 0; i < count; i++)
        if (!kept || sweep->flows[kept - 1].block != sweep->flows[i].block)
            sweep->flows[kept++].block = sweep->flows[i].block;
    sweep->flow_count = kept;
}

/* Looks up the flow once per span, not once per slot. */
static void find_flow(const struct profile_sweep *sweep, struct profile_active *active) {
    struct profile_flow key = {.block = active->span->block};
    struct profile_flow *found = bsearch(&key, sweep->flows, sweep->flow_count, sizeof key, compare_blocks);
    active->flow = found ?: &sweep->flows[sweep->flow_count];
}

void profile_sweep_open(struct profile_sweep *sweep, const struct profile_areas *areas) {
    *sweep = (struct profile_sweep){.areas = areas};
    sweep->active = memory_zeros(areas->span_count, sizeof *sweep->active);
    sweep->flows = memory_zeros(areas->span_count, sizeof *sweep->flows);
    list_flows(sweep);
}

void profile_sweep_close(struct profile_sweep *sweep) {
    free(sweep->active);
    free(sweep->flows);
    free(sweep->gains);
}

static void drop_ended(struct profile_sweep *sweep) {
    size_t kept = 0;
    for (size_t i = 0; i < sweep->active_count; i++)
        if (sweep->active[i].span->end > sweep->end)
            sweep->active[kept++] = sweep->active[i];
    sweep->active_count = kept;
}

static void add_begun(struct profile_sweep *sweep) {
    const struct profile_areas *areas = sweep->areas;
    while (sweep->next < areas->span_count && areas->spans[sweep->next].first <= sweep->first) {
        struct profile_active *active = &sweep->active[sweep->active_count++];
        active->span = &areas->spans[sweep->next++];
        find_flow(sweep, active);
    }
}

/* Each range ends where an area ends or begins, so the cost of all ranges is at most the number of all areas'
 * elements. */
bool profile_sweep_next(struct profile_sweep *sweep) {
    const struct profile_areas *areas = sweep->areas;
    drop_ended(sweep);
    if (!sweep->active_count && sweep->next == areas->span_count)
        return false;
    sweep->first = sweep->active_count ? sweep->end : areas->spans[sweep->next].first;
    add_begun(sweep);
    sweep->end = sweep->next < areas->span_count ? areas->spans[sweep->next].first : UINT64_MAX;
    for (size_t i = 0; i < sweep->active_count; i++)
        if (sweep->active[i].span->end < sweep->end)
            sweep->end = sweep->active[i].span->end;
    return true;
}

struct sums {
    struct flow flow;
    int64_t most;
    uint64_t peak_blocks, peak_bytes; /* signed values; unsigned arithmetic makes the overflow of damaged
                                       * counters defined */
};

struct slot_reading {
    struct profile_sweep *sweep;
    uint64_t slot;
    bool is_in_totals;
    struct profile_flow *of_block; /* the flow of the element's block */
    struct profile_flow of_none;
    struct sums sums;
    uint64_t released_since; /* released blocks, read again after everything else */
};

typedef void element_function(struct slot_reading *, const unsigned char *);

static void each_element(struct slot_reading *reading, uint32_t kind, element_function *function) {
    const struct profile_sweep *sweep = reading->sweep;
    for (size_t i = 0; i < sweep->active_count; i++) {
        const struct profile_span *span = sweep->active[i].span;
        if (span->kind != kind)
            continue;
        reading->of_block = reading->is_in_totals ? sweep->active[i].flow : &reading->of_none;
        function(reading, span->elements + (reading->slot - span->first) * span->size);
    }
}

#define ADD_VALUE(name, value)                                                                               \
    do {                                                                                                     \
        uint64_t added = value;                                                                              \
        reading->sums.flow.name += added;                                                                    \
        reading->of_block->sums.name += added;                                                               \
    } while (0)
#define ADD_TALLY(name)  ADD_VALUE(name, profile_load(at + offsetof(struct tally, name)));
#define ADD_EXTRA(name)  ADD_VALUE(name, profile_load(at + offsetof(struct extra, name)));
#define ADD_COPIED(name) ADD_VALUE(name, copy.name);

static void add_moved(struct slot_reading *reading, const unsigned char *at) {
    PROFILE_EXTRA_WENT(ADD_EXTRA)
}

static void add_released(struct slot_reading *reading, const unsigned char *at) {
    PROFILE_TALLY_WENT(ADD_TALLY)
}

static void add_released_since(struct slot_reading *reading, const unsigned char *at) {
    reading->released_since += profile_load(at + offsetof(struct tally, released));
}

static void add_reallocs(struct slot_reading *reading, const unsigned char *at) {
    PROFILE_EXTRA_CAME(ADD_EXTRA)
}

static void add_rare(struct slot_reading *reading, const unsigned char *at) {
    struct rare copy;
    profile_copy_rare(&copy, at, 8 * PROFILE_RARE_COUNT, reading->sweep->areas);
    PROFILE_RARE(ADD_COPIED)
}

static void raise_to(int64_t *most, int64_t value) {
    if (value > *most)
        *most = value;
}

static void keep_gain(const struct slot_reading *reading, const struct tally *tally) {
    struct profile_sweep *sweep = reading->sweep;
    if (!sweep->wants_gains || !reading->is_in_totals || !tally->allocated)
        return;
    memory_grow(&sweep->gains, sweep->gain_count, &sweep->gain_capacity, sizeof *sweep->gains);
    sweep->gains[sweep->gain_count++] =
        (struct profile_gain){reading->of_block->block, tally->allocated, tally->allocated_bytes};
}

/* Adds the counters of allocated blocks, and the tally's share of the peak and of the maximum. */
static void add_allocated(struct slot_reading *reading, const unsigned char *at) {
    const struct profile_peak *peak = &reading->sweep->areas->header.peak;
    struct sums *sums = &reading->sums;
    struct tally copy;
    profile_copy(&copy, at, sizeof copy);
    PROFILE_TALLY_CAME(ADD_COPIED)
    keep_gain(reading, &copy);
    bool is_saved = !peak->riser && tally_epoch(&copy) >= peak->epoch;
    sums->peak_blocks += is_saved ? (uint64_t)tally_peak_blocks(&copy) : copy.allocated - copy.released;
    sums->peak_bytes += is_saved ? (uint64_t)copy.peak_bytes : copy.allocated_bytes - copy.released_bytes;
    if (peak->shared_epoch && tally_epoch(&copy) >= peak->shared_epoch)
        return;
    raise_to(&sums->most, (int64_t)(copy.allocated - copy.released));
    if (tally_epoch(&copy) >= peak->reset_epoch)
        raise_to(&sums->most, copy.limit);
}

/* Reads the slot's other data; zero if missing. */
static void read_slot(struct profile_slot *of, const struct profile_areas *areas, uint64_t slot) {
    const unsigned char *at = profile_element(areas, PROFILE_SLOTS, slot);
    *of = (struct profile_slot){0};
    if (at)
        profile_copy(of, at, sizeof *of);
}

static void read_leaked(struct counters *counters, const struct profile_slot *of,
                        const struct profile_areas *areas, uint64_t slot) {
    struct profile_possibly_leaked possibly = {0};
    const unsigned char *at = profile_element(areas, PROFILE_POSSIBLY_LEAKED, slot);
    if (at)
        profile_copy(&possibly, at, sizeof possibly);
    counters->leaked_blocks = of->leaked_blocks;
    counters->leaked_bytes = of->leaked_bytes;
    counters->possibly_leaked_blocks = possibly.blocks;
    counters->possibly_leaked_bytes = possibly.bytes;
}

static void read_base(struct flow *base, const struct profile_areas *areas, uint64_t slot) {
    const unsigned char *at = profile_element(areas, PROFILE_BASES, slot);
    *base = (struct flow){0};
    if (at)
        profile_copy_rare(base, at, sizeof *base, areas);
}

static uint64_t subtract_checked(uint64_t a, uint64_t b, bool *contradict) {
    *contradict |= b > a;
    return b > a ? 0 : a - b;
}

static uint64_t add_checked(uint64_t a, uint64_t b, bool *contradict) {
    *contradict |= a > UINT64_MAX - b;
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void take_off(struct flow *flow, const struct flow *base, bool *contradict) {
#define TAKE_OFF(name) flow->name = subtract_checked(flow->name, base->name, contradict);
    PROFILE_COUNTERS(TAKE_OFF)
}

static void add_base(struct flow *flow, const struct flow *base) {
#define ADD_BASE(name) flow->name += base->name;
    PROFILE_COUNTERS(ADD_BASE)
}

void profile_flow_counters(struct counters *counters, const struct flow *flow, bool *contradict) {
#define SAME(name) .name = flow->name,
    *counters = (struct counters){
        .allocs = subtract_checked(flow->allocated, flow->reallocs, contradict),
        .alloc_bytes = subtract_checked(flow->allocated_bytes, flow->realloc_bytes, contradict),
        .frees = subtract_checked(flow->released, flow->moved, contradict),
        .freed_bytes = subtract_checked(flow->released_bytes, flow->moved_bytes, contradict),
        .live_blocks = flow->allocated - flow->released,
        .live_bytes = flow->allocated_bytes - flow->released_bytes,
        PROFILE_EXTRA(SAME) PROFILE_RARE(SAME)};
}

static void set_live(struct counters *counters, const struct sums *sums, const struct profile_slot *slot,
                     bool *contradict) {
    const struct flow *flow = &sums->flow;
    counters->inherited_blocks = slot->inherited_blocks;
    counters->inherited_bytes = slot->inherited_bytes;
    counters->live_blocks = subtract_checked(add_checked(flow->allocated, slot->inherited_blocks, contradict),
                                             flow->released, contradict);
    counters->live_bytes =
        subtract_checked(add_checked(flow->allocated_bytes, slot->inherited_bytes, contradict),
                         flow->released_bytes, contradict);
}

/* Adds inherited blocks: a thread's live count starts with the process, not with the last reset. */
static uint64_t with_carried(int64_t live, uint64_t inherited, uint64_t base, bool *contradict) {
    __int128 sum = (__int128)live + inherited - (int64_t)base;
    *contradict |= sum < 0 || sum > UINT64_MAX;
    return sum < 0 ? 0 : sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

static void set_extremes(struct counters *counters, const struct sums *sums, const struct profile_slot *slot,
                         const struct flow *base, bool *contradict) {
    uint64_t base_blocks = base->allocated - base->released,
             base_bytes = base->allocated_bytes - base->released_bytes;
    bool below_zero = false; /* a child may free more blocks than it ever allocated */
    counters->peak_blocks =
        with_carried((int64_t)sums->peak_blocks, slot->inherited_blocks, base_blocks, contradict);
    counters->peak_bytes =
        with_carried((int64_t)sums->peak_bytes, slot->inherited_bytes, base_bytes, contradict);
    counters->max_live_blocks = with_carried(sums->most, slot->inherited_blocks, base_blocks, &below_zero);
    counters->max_live_blocks_within = slot->most_within;
}

static void infer_inherited(struct profile_slot *slot, const struct flow *flow) {
    int64_t blocks = (int64_t)(flow->allocated - flow->released);
    int64_t bytes = (int64_t)(flow->allocated_bytes - flow->released_bytes);
    if (blocks >= 0 && bytes >= 0)
        return;
    slot->inherited_blocks = blocks < 0 ? -(uint64_t)blocks : 0;
    slot->inherited_bytes = bytes < 0 ? -(uint64_t)bytes : 0;
}

void profile_slot_read(struct profile_counts *counts, struct profile_sweep *sweep, uint64_t slot,
                       bool is_in_totals) {
    struct slot_reading reading = {.sweep = sweep, .slot = slot, .is_in_totals = is_in_totals};
    struct profile_slot of;
    struct flow base;
    sweep->gain_count = 0;
    each_element(&reading, PROFILE_EXTRAS, add_moved);
    each_element(&reading, PROFILE_TALLIES, add_released);
    each_element(&reading, PROFILE_EXTRAS, add_reallocs);
    each_element(&reading, PROFILE_RARES, add_rare);
    read_slot(&of, sweep->areas, slot);
    read_base(&base, sweep->areas, slot);
    reading.sums.most = (int64_t)of.most;
    each_element(&reading, PROFILE_TALLIES, add_allocated);
    each_element(&reading, PROFILE_TALLIES, add_released_since);
    if (sweep->areas->header.flags & PROFILE_INHERITS)
        infer_inherited(&of, &reading.sums.flow);
    *counts = (struct profile_counts){.outrun = reading.released_since - reading.sums.flow.released >
                                                PROFILE_OUTRUN};
    if (is_in_totals)
        add_base(&sweep->before_reset, &base);
    take_off(&reading.sums.flow, &base, &counts->contradict);
    profile_flow_counters(&counts->counters, &reading.sums.flow, &counts->contradict);
    set_live(&counts->counters, &reading.sums, &of, &counts->contradict);
    set_extremes(&counts->counters, &reading.sums, &of, &base, &counts->contradict);
    if (sweep->areas->header.flags & PROFILE_HAS_LEAKED)
        read_leaked(&counts->counters, &of, sweep->areas, slot);
    if (!is_in_totals)
        counters_forget_peaks(&counts->counters);
}
