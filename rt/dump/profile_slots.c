/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters of a profile's slots. */
#include "profile_slots.h"

#include <stdlib.h>

bool profile_sweep_open(struct profile_sweep *sweep, const struct profile_areas *areas) {
    *sweep = (struct profile_sweep){.areas = areas};
    sweep->active = calloc(areas->span_count + 1, sizeof *sweep->active);
    return sweep->active != NULL;
}

void profile_sweep_close(struct profile_sweep *sweep) {
    free(sweep->active);
}

static void drop_ended(struct profile_sweep *sweep) {
    size_t kept = 0;
    for (size_t i = 0; i < sweep->active_count; i++)
        if (sweep->active[i]->end > sweep->end)
            sweep->active[kept++] = sweep->active[i];
    sweep->active_count = kept;
}

static void add_begun(struct profile_sweep *sweep) {
    const struct profile_areas *areas = sweep->areas;
    while (sweep->next < areas->span_count && areas->spans[sweep->next].first <= sweep->first)
        sweep->active[sweep->active_count++] = &areas->spans[sweep->next++];
}

/* Every stretch ends where one of its areas does, or where one more begins: so all stretches together cost no
 * more than the elements of all areas. */
bool profile_sweep_next(struct profile_sweep *sweep) {
    const struct profile_areas *areas = sweep->areas;
    drop_ended(sweep);
    if (!sweep->active_count && sweep->next == areas->span_count)
        return false;
    sweep->first = sweep->active_count ? sweep->end : areas->spans[sweep->next].first;
    add_begun(sweep);
    sweep->end = sweep->next < areas->span_count ? areas->spans[sweep->next].first : UINT64_MAX;
    for (size_t i = 0; i < sweep->active_count; i++)
        if (sweep->active[i]->end < sweep->end)
            sweep->end = sweep->active[i]->end;
    return true;
}

struct sums {
    struct tally tally; /* sums of the counters */
    struct extra extra;
    int64_t most;
    uint64_t peak_blocks, peak_bytes; /* signed, but for the overflow of what is damaged */
};

struct slot_reading {
    const struct profile_sweep *sweep;
    uint64_t slot;
    uint32_t block;
    struct sums sums;
};

/* The element of the slot in an area of the kind and a block that is wanted; NULL: it is none. */
static const unsigned char *element(const struct slot_reading *reading, const struct profile_span *span,
                                    uint32_t kind) {
    if (span->kind != kind || (reading->block != PROFILE_ALL_BLOCKS && span->block != reading->block))
        return NULL;
    _Static_assert(sizeof(struct tally) == sizeof(struct extra), "one size for both");
    return span->elements + (reading->slot - span->first) * sizeof(struct tally);
}

typedef void element_function(struct slot_reading *, const unsigned char *);

static void each_element(struct slot_reading *reading, uint32_t kind, element_function *function) {
    for (size_t i = 0; i < reading->sweep->active_count; i++) {
        const unsigned char *at = element(reading, reading->sweep->active[i], kind);
        if (at)
            function(reading, at);
    }
}

#define ADD(type, name) reading->sums.type.name += profile_load(at + offsetof(struct type, name))

static void add_moved(struct slot_reading *reading, const unsigned char *at) {
    ADD(extra, moved);
    ADD(extra, moved_bytes);
}

static void add_lost(struct slot_reading *reading, const unsigned char *at) {
    ADD(tally, lost);
    ADD(tally, lost_bytes);
}

static void add_reallocs(struct slot_reading *reading, const unsigned char *at) {
    ADD(extra, reallocs);
    ADD(extra, realloc_bytes);
    ADD(extra, realloc_old_bytes);
    ADD(extra, failed);
}

static void raise_to(int64_t *most, int64_t value) {
    if (value > *most)
        *most = value;
}

/* What came, and what the tally says of the peak and of the most live blocks. */
static void add_gained(struct slot_reading *reading, const unsigned char *at) {
    const struct profile_peak *peak = &reading->sweep->areas->header.peak;
    struct sums *sums = &reading->sums;
    struct tally tally;
    profile_copy(&tally, at, sizeof tally);
    sums->tally.gained += tally.gained;
    sums->tally.gained_bytes += tally.gained_bytes;
    bool is_saved = !peak->riser && tally_epoch(&tally) >= peak->epoch;
    sums->peak_blocks += is_saved ? (uint64_t)tally_peak_blocks(&tally) : tally.gained - tally.lost;
    sums->peak_bytes += is_saved ? (uint64_t)tally.peak_bytes : tally.gained_bytes - tally.lost_bytes;
    if (peak->shared_epoch && tally_epoch(&tally) >= peak->shared_epoch)
        return;
    raise_to(&sums->most, (int64_t)(tally.gained - tally.lost));
    if (tally_epoch(&tally) >= peak->reset_epoch)
        raise_to(&sums->most, tally.limit);
}

static void read_base(struct profile_base *base, const struct profile_areas *areas, uint64_t slot) {
    const unsigned char *at = profile_element(areas, PROFILE_BASES, slot);
    *base = (struct profile_base){.gained = 0};
    if (at)
        profile_copy(base, at, sizeof *base);
}

static void read_slot(struct profile_slot *of, const struct profile_areas *areas, uint64_t slot) {
    const unsigned char *at = profile_element(areas, PROFILE_SLOTS, slot);
    *of = (struct profile_slot){.most = 0};
    if (at)
        profile_copy(of, at, sizeof *of);
}

static uint64_t minus(uint64_t a, uint64_t b, bool *contradict) {
    *contradict |= b > a;
    return b > a ? 0 : a - b;
}

static uint64_t plus(uint64_t a, uint64_t b, bool *contradict) {
    *contradict |= a > UINT64_MAX - b;
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#define TAKE_OFF(from, base, name) (from)->name = minus((from)->name, (base)->name, contradict)

static void take_off(struct sums *sums, const struct profile_base *base, bool *contradict) {
    TAKE_OFF(&sums->tally, base, gained);
    TAKE_OFF(&sums->tally, base, gained_bytes);
    TAKE_OFF(&sums->tally, base, lost);
    TAKE_OFF(&sums->tally, base, lost_bytes);
    TAKE_OFF(&sums->extra, &base->extra, reallocs);
    TAKE_OFF(&sums->extra, &base->extra, realloc_bytes);
    TAKE_OFF(&sums->extra, &base->extra, realloc_old_bytes);
    TAKE_OFF(&sums->extra, &base->extra, moved);
    TAKE_OFF(&sums->extra, &base->extra, moved_bytes);
    TAKE_OFF(&sums->extra, &base->extra, failed);
}

static void set_flow(struct counters *counters, const struct sums *sums, bool *contradict) {
    const struct tally *tally = &sums->tally;
    const struct extra *extra = &sums->extra;
    counters->allocs = minus(tally->gained, extra->reallocs, contradict);
    counters->alloc_bytes = minus(tally->gained_bytes, extra->realloc_bytes, contradict);
    counters->reallocs = extra->reallocs;
    counters->realloc_bytes = extra->realloc_bytes;
    counters->realloc_old_bytes = extra->realloc_old_bytes;
    counters->frees = minus(tally->lost, extra->moved, contradict);
    counters->freed_bytes = minus(tally->lost_bytes, extra->moved_bytes, contradict);
    counters->moved = extra->moved;
    counters->moved_bytes = extra->moved_bytes;
    counters->failed = extra->failed;
}

static void set_live(struct counters *counters, const struct sums *sums, const struct profile_slot *slot,
                     bool *contradict) {
    const struct tally *tally = &sums->tally;
    counters->inherited_blocks = slot->inherited_blocks;
    counters->inherited_bytes = slot->inherited_bytes;
    counters->live_blocks =
        minus(plus(tally->gained, slot->inherited_blocks, contradict), tally->lost, contradict);
    counters->live_bytes =
        minus(plus(tally->gained_bytes, slot->inherited_bytes, contradict), tally->lost_bytes, contradict);
}

/* With what was carried over: what a thread knows of a slot's live blocks is since the process began, not
 * since it was reset. */
static uint64_t with_carried(int64_t live, uint64_t inherited, uint64_t base, bool *contradict) {
    __int128 sum = (__int128)live + inherited - (int64_t)base;
    *contradict |= sum < 0 || sum > UINT64_MAX;
    return sum < 0 ? 0 : sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

static void set_extremes(struct counters *counters, const struct sums *sums, const struct profile_slot *slot,
                         const struct profile_base *base, bool *contradict) {
    uint64_t base_blocks = base->gained - base->lost, base_bytes = base->gained_bytes - base->lost_bytes;
    bool below_zero = false; /* most: a child can free more than it ever had of its own */
    counters->peak_blocks =
        with_carried((int64_t)sums->peak_blocks, slot->inherited_blocks, base_blocks, contradict);
    counters->peak_bytes =
        with_carried((int64_t)sums->peak_bytes, slot->inherited_bytes, base_bytes, contradict);
    counters->max_live_blocks = with_carried(sums->most, slot->inherited_blocks, base_blocks, &below_zero);
    counters->max_live_blocks_within = slot->most_within;
}

void profile_slot_read(struct profile_counts *counts, const struct profile_sweep *sweep, uint64_t slot,
                       uint32_t block) {
    struct slot_reading reading = {.sweep = sweep, .slot = slot, .block = block};
    struct profile_slot of = {.most = 0};
    struct profile_base base = {.gained = 0};
    each_element(&reading, PROFILE_EXTRAS, add_moved);
    each_element(&reading, PROFILE_TALLIES, add_lost);
    each_element(&reading, PROFILE_EXTRAS, add_reallocs);
    if (block == PROFILE_ALL_BLOCKS) {
        read_slot(&of, sweep->areas, slot);
        read_base(&base, sweep->areas, slot);
    }
    reading.sums.most = (int64_t)of.most;
    each_element(&reading, PROFILE_TALLIES, add_gained);
    *counts = (struct profile_counts){.lost_blocks = of.lost_blocks, .lost_bytes = of.lost_bytes};
    take_off(&reading.sums, &base, &counts->contradict);
    set_flow(&counts->counters, &reading.sums, &counts->contradict);
    set_live(&counts->counters, &reading.sums, &of, &counts->contradict);
    set_extremes(&counts->counters, &reading.sums, &of, &base, &counts->contradict);
}
