/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tallies and extras of a process. */
#include "dump/process/areas.h"

#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/profile/areas.h"

#include <stdlib.h>

_Static_assert(sizeof(struct tally) == sizeof(struct extra), "one geometry for both");

/* Slots that are read together: a page of each area, for the kernel looks up each page anew. */
enum { STRETCH = PROFILE_PAGE / sizeof(struct tally) };

/* An area, by slots. */
struct span {
    const struct remote_area *area;
    uint64_t first, end;
};

/* A part of an area that lies in the stretch. */
struct piece {
    uint32_t kind;
    char *to;     /* in the image */
    char *again;  /* for the second reading; NULL: this is the first */
    size_t count; /* slots */
};

struct sweep {
    char *image;
    struct span *spans; /* by rising first slot */
    size_t count, begun;
    const struct span **active; /* that have begun and not ended */
    size_t active_count;
    struct piece *pieces;
    struct iovec *here, *there; /* of the pieces */
    size_t piece_count;
    char (*scratch)[PROFILE_PAGE]; /* one for each active span */
};

static int compare_first(const void *a, const void *b) {
    const struct span *left = a, *right = b;
    return compare_u64(left->first, right->first);
}

static bool is_counters(const struct profile_area *area) {
    return area->kind == PROFILE_TALLIES || area->kind == PROFILE_EXTRAS;
}

static void open_sweep(struct sweep *sweep, const struct remote_areas *areas) {
    size_t most = areas->count;
    sweep->spans = memory_zeros(most, sizeof *sweep->spans);
    sweep->active = memory_zeros(most, sizeof *sweep->active);
    sweep->pieces = memory_zeros(2 * most, sizeof *sweep->pieces);
    sweep->here = memory_zeros(2 * most, sizeof *sweep->here);
    sweep->there = memory_zeros(2 * most, sizeof *sweep->there);
    sweep->scratch = memory_zeros(most, sizeof *sweep->scratch);
    for (size_t i = 0; i < areas->count; i++) {
        const struct profile_area *area = &areas->list[i].area;
        uint64_t count = area->size / sizeof(struct tally);
        if (is_counters(area) && count && profile_has_slots(area->first, count))
            sweep->spans[sweep->count++] = (struct span){&areas->list[i], area->first, area->first + count};
    }
    qsort(sweep->spans, sweep->count, sizeof *sweep->spans, compare_first);
}

static void close_sweep(struct sweep *sweep) {
    free(sweep->spans);
    free(sweep->active);
    free(sweep->pieces);
    free(sweep->here);
    free(sweep->there);
    free(sweep->scratch);
}

static void set_active(struct sweep *sweep, uint64_t first, uint64_t end) {
    size_t kept = 0;
    for (size_t i = 0; i < sweep->active_count; i++)
        if (sweep->active[i]->end > first)
            sweep->active[kept++] = sweep->active[i];
    sweep->active_count = kept;
    while (sweep->begun < sweep->count && sweep->spans[sweep->begun].first < end)
        sweep->active[sweep->active_count++] = &sweep->spans[sweep->begun++];
}

static void plan(struct sweep *sweep, uint64_t first, uint64_t end, uint32_t kind, bool again) {
    for (size_t i = 0; i < sweep->active_count; i++) {
        const struct span *span = sweep->active[i];
        uint64_t from = span->first > first ? span->first : first, to = span->end < end ? span->end : end;
        uint64_t offset = (from - span->first) * sizeof(struct tally);
        if (span->area->area.kind != kind)
            continue;
        struct piece piece = {.kind = kind,
                              .to = sweep->image + span->area->area.offset + offset,
                              .again = again ? sweep->scratch[i] : NULL,
                              .count = to - from};
        size_t size = piece.count * sizeof(struct tally), number = sweep->piece_count++;
        sweep->pieces[number] = piece;
        sweep->here[number] = (struct iovec){again ? piece.again : piece.to, size};
        sweep->there[number] = (struct iovec){(void *)(uintptr_t)(span->area->address + offset), size};
    }
}

#define TAKE(name) to->name = from->name;

static void refresh_extras(struct extra *to, const struct extra *from, size_t count) {
    for (; count--; to++, from++) {
        PROFILE_EXTRA_CAME(TAKE)
    }
}

static void refresh_tallies(struct tally *to, const struct tally *from, size_t count) {
    for (; count--; to++, from++) {
        PROFILE_TALLY_CAME(TAKE)
    }
}

/* The counters of what came are those of the second reading. */
static void refresh(const struct piece *piece) {
    void *to = piece->to;
    const void *from = piece->again;
    if (from && piece->kind == PROFILE_EXTRAS)
        refresh_extras(to, from, piece->count);
    else if (from)
        refresh_tallies(to, from, piece->count);
}

static bool copy_stretch(struct sweep *sweep, struct remote_memory *memory, uint64_t first, uint64_t end) {
    sweep->piece_count = 0;
    plan(sweep, first, end, PROFILE_EXTRAS, false);
    plan(sweep, first, end, PROFILE_TALLIES, false);
    plan(sweep, first, end, PROFILE_EXTRAS, true);
    plan(sweep, first, end, PROFILE_TALLIES, true);
    if (!remote_read_all(memory, sweep->here, sweep->there, sweep->piece_count))
        return false;
    for (size_t i = 0; i < sweep->piece_count; i++)
        refresh(&sweep->pieces[i]);
    return true;
}

static bool copy_all(struct sweep *sweep, struct remote_memory *memory) {
    uint64_t end = 0;
    for (;;) {
        set_active(sweep, end, end);
        if (!sweep->active_count && sweep->begun == sweep->count)
            return true;
        uint64_t from = sweep->active_count ? end : sweep->spans[sweep->begun].first;
        uint64_t first = from - from % STRETCH;
        end = first + STRETCH;
        set_active(sweep, first, end);
        if (!copy_stretch(sweep, memory, first, end))
            return false;
    }
}

bool remote_counters_copy(const struct remote_areas *areas, struct remote_memory *memory, char *image) {
    struct sweep sweep = {.image = image};
    open_sweep(&sweep, areas);
    bool is_copied = copy_all(&sweep, memory);
    close_sweep(&sweep);
    return is_copied;
}
