/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that a process counts in. */
#include "dump/process/areas.h"

#include "base/chunks.h"
#include "dump/base/memory.h"
#include "dump/profile/areas.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    return (kind > PROFILE_RECORDS && kind <= PROFILE_BASES) || kind == PROFILE_LIFETIMES;
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
    static const uint32_t others[] = {PROFILE_SLOTS, PROFILE_BLOCKS, PROFILE_PAIRS,
                                      PROFILE_SIZES, PROFILE_BASES,  PROFILE_LIFETIMES};
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
