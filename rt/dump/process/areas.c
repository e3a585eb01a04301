/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that a process counts in. */
#include "dump/profile/areas.h"
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/process/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The tallies and extras of a process. */

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

/* The counters of what came are those of the second reading. */
static void refresh(const struct piece *piece) {
    void *to = piece->to;
    const void *from = piece->again;
    if (from && piece->kind == PROFILE_EXTRAS)
        extras_take_came(to, from, piece->count);
    else if (from)
        tallies_take_came(to, from, piece->count);
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

/* Copies them to their places in the image. Of each slot what went is read before what came, as profile.h has
 * it; and all of a slot within microseconds, for what comes in between stands as live. False: not all of it
 * is there. */
static bool remote_counters_copy(const struct remote_areas *areas, struct remote_memory *memory,
                                 char *image) {
    struct sweep sweep = {.image = image};
    open_sweep(&sweep, areas);
    bool is_copied = copy_all(&sweep, memory);
    close_sweep(&sweep);
    return is_copied;
}

/* ---- The memory that a process counts in. */

/* Names reach no further. */
enum { NAMES_CHUNKS_MAX = 18 };

static bool say_impossible(struct reason *why) {
    return reason_set(why, "has overwritten what allocsite keeps in it: that cannot be so");
}

static bool say_vanished(const struct remote_memory *memory, struct reason *why) {
    return memory->left ? reason_set(why, "has ended, or runs another program now") : say_impossible(why);
}

static bool say_too_much(const struct remote_memory *memory, struct reason *why) {
    return reason_set(why,
                      "says that it has more than %" PRIu64 " MiB of counters, far more than it has memory; "
                      "start the program with ALLOCSITE_OPTIONS=profile=PATH",
                      memory->budget >> 20);
}

/* Its kind is written last, and so is read first. */
static bool read_area(struct remote_area *to, struct remote_memory *memory, const struct root_layout *layout,
                      uint64_t at) {
    struct profile_area *area = &to->area;
    return remote_read(memory, at + layout->area_kind, &area->kind, sizeof area->kind) &&
           remote_read(memory, at + layout->area_index, &area->index, sizeof area->index) &&
           remote_read(memory, at + layout->area_first, &area->first, sizeof area->first) &&
           remote_read(memory, at + layout->area_size, &area->size, sizeof area->size) &&
           remote_read(memory, at + layout->area_address, &to->address, sizeof to->address);
}

/* A forked child lists what it uses of its parent's memory once more. */
static void keep(struct remote_areas *areas, const struct remote_area *area) {
    if (!number_map_add(&areas->addresses, area->address, 0))
        return;
    memory_grow(&areas->list, areas->count, &areas->room, sizeof *areas->list);
    areas->list[areas->count++] = *area;
}

bool remote_areas_list(struct remote_areas *areas, struct remote_memory *memory,
                       const struct remote_root *root, struct reason *why) {
    struct remote_table table;
    uint32_t count = remote_u32(memory, root->store.area_count);
    uint64_t all = 0;
    *areas = (struct remote_areas){.count = 0};
    if (!remote_table_read(&table, root, memory, root->store.areas))
        return say_vanished(memory, why);
    if (count > memory->budget / sizeof(struct remote_area))
        return say_impossible(why);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = remote_table_at(&table, i);
        struct remote_area area = {.address = 0};
        if (at && !read_area(&area, memory, &root->root.layout, at))
            return say_vanished(memory, why);
        if (area.area.kind == PROFILE_NONE)
            continue;
        if (area.area.size > memory->budget - all)
            return say_too_much(memory, why);
        all += area.area.size;
        keep(areas, &area);
    }
    return true;
}

void remote_areas_free(struct remote_areas *areas) {
    free(areas->list);
    number_map_free(&areas->addresses);
}

static bool is_copied(uint32_t kind) {
    return (kind > PROFILE_RECORDS && kind <= PROFILE_BASES) || kind == PROFILE_LIFETIMES ||
           kind == PROFILE_RARES || kind == PROFILE_POSSIBLY_LOST;
}

static void place_all(struct remote_areas *areas, struct profile_image *image) {
    for (size_t i = 0; i < areas->count; i++) {
        struct profile_area *area = &areas->list[i].area;
        if (is_copied(area->kind))
            area->offset = profile_image_add(image, area, NULL);
    }
}

static bool copy_kind(const struct remote_areas *areas, struct remote_memory *memory, char *image,
                      uint32_t kind) {
    for (size_t i = 0; i < areas->count; i++) {
        const struct remote_area *area = &areas->list[i];
        if (area->area.kind == kind &&
            !remote_read(memory, area->address, image + area->area.offset, area->area.size))
            return false;
    }
    return true;
}

bool remote_areas_copy(struct remote_areas *areas, struct remote_memory *memory, struct profile_image *image,
                       struct reason *why) {
    static const uint32_t others[] = {PROFILE_SLOTS, PROFILE_BLOCKS,    PROFILE_PAIRS, PROFILE_SIZES,
                                      PROFILE_BASES, PROFILE_LIFETIMES, PROFILE_RARES, PROFILE_POSSIBLY_LOST};
    place_all(areas, image);
    if (!remote_counters_copy(areas, memory, image->bytes))
        return say_vanished(memory, why);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!copy_kind(areas, memory, image->bytes, others[i]))
            return say_vanished(memory, why);
    return true;
}

/* Chunks of names lie one behind the other there. Returns where the last one ends. */
static size_t place_names(struct remote_areas *areas) {
    size_t end = 0;
    for (size_t i = 0; i < areas->count; i++) {
        struct profile_area *area = &areas->list[i].area;
        if (area->kind != PROFILE_NAMES)
            continue;
        bool is_within = area->index < NAMES_CHUNKS_MAX;
        uint64_t size = is_within ? chunk_size(PROFILE_NAMES_FIRST, area->index) : 0;
        area->offset = is_within ? chunk_start(PROFILE_NAMES_FIRST, area->index) : 0;
        area->size = area->size < size ? area->size : size;
        end = area->offset + size > end ? area->offset + size : end;
    }
    return end;
}

bool remote_areas_names(struct remote_areas *areas, struct remote_memory *memory, struct name_writer *writer,
                        struct reason *why) {
    size_t end = place_names(areas);
    if (end > memory->budget)
        return say_too_much(memory, why);
    if (end)
        writer->bytes = memory_zeros(end, 1);
    writer->size = writer->room = end;
    return copy_kind(areas, memory, writer->bytes, PROFILE_NAMES) || say_vanished(memory, why);
}
