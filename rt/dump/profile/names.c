/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and inline chains of a profile. */
#include "dump/profile/names.h"

#include "base/chunks.h"
#include "base/grow.h"
#include "base/sort.h"
#include "dump/base/modules.h"

#include <string.h>

/* In those behind there is nothing that a name reaches. */
enum { CHUNKS = 18 };
_Static_assert(PROFILE_NAMES_FIRST *((UINT64_C(1) << CHUNKS) - 1) >= UINT32_MAX - PROFILE_NAMES_FIRST,
               "names reach no further");

/* Bytes that are not copied stay zero, and are no memory. */
static bool copy_chunk(struct profile_names *names, const struct profile_areas *areas, unsigned number) {
    const struct profile_chunk *chunk = &areas->chunks[PROFILE_NAMES][number];
    char *to = names->chunks[number] = calloc(chunk->size + 1, 1);
    if (!to)
        return false;
    for (struct extent part = {0}; profile_chunk_next(areas, chunk, 1, &part);)
        memcpy(to + part.begin, chunk->bytes + part.begin, part.end - part.begin);
    names->sizes[number] = chunk->size;
    return true;
}

bool profile_names_read(struct profile_names *names, const struct profile_areas *areas) {
    *names = (struct profile_names){.places_left = areas->there->size / 4};
    for (unsigned i = 0; i < CHUNKS; i++)
        if (areas->chunks[PROFILE_NAMES][i].bytes && !copy_chunk(names, areas, i))
            return false;
    return true;
}

void profile_names_free(struct profile_names *names) {
    for (unsigned i = 0; i < PROFILE_CHUNKS; i++)
        free(names->chunks[i]);
    free(names->places);
    offset_map_free(&names->chains);
}

/* Where size bytes of the names are. */
static const char *names_at(const struct profile_names *names, profile_name offset, size_t size) {
    struct chunk_place at = chunk_place(PROFILE_NAMES_FIRST, offset);
    if (at.chunk >= PROFILE_CHUNKS || !names->chunks[at.chunk] || names->sizes[at.chunk] < size ||
        at.offset > names->sizes[at.chunk] - size)
        return NULL;
    return names->chunks[at.chunk] + at.offset;
}

const char *profile_name_at(struct profile_names *names, profile_name offset) {
    const char *name = offset ? names_at(names, offset, 1) : NULL;
    names->wrong += offset && !name;
    return name;
}

static bool add_place(struct profile_names *names, const struct profile_frame *frame) {
    if (!grow(&names->places, names->place_count, &names->place_room, sizeof *names->places))
        return false;
    names->places_left--;
    names->places[names->place_count++] = (struct place){
        .function = profile_name_at(names, frame->function),
        .file = profile_name_at(names, frame->file),
        .line = frame->line,
        .column = frame->column,
    };
    return true;
}

static bool read_chain(struct profile_names *names, profile_name offset, size_t *count) {
    for (*count = 0; offset; ++*count) {
        const char *at = offset % 4 ? NULL : names_at(names, offset, sizeof(struct profile_frame));
        if (!at || *count == PROFILE_CHAIN_MAX || !names->places_left) {
            names->wrong++;
            return true;
        }
        struct profile_frame frame;
        memcpy(&frame, at, sizeof frame);
        if (!add_place(names, &frame))
            return false;
        offset = frame.caller;
    }
    return true;
}

/* Parts of a site share its chain. */
bool profile_chain_read(struct profile_names *names, profile_name frame, size_t *first, size_t *count) {
    enum { LENGTH_BITS = 10 };
    _Static_assert(PROFILE_CHAIN_MAX < 1 << LENGTH_BITS, "the length fits");
    uint64_t known;
    if (frame && offset_map_get(&names->chains, frame, &known)) {
        *first = known >> LENGTH_BITS;
        *count = known & ((1 << LENGTH_BITS) - 1);
        return true;
    }
    *first = names->place_count;
    if (!read_chain(names, frame, count))
        return false;
    if (frame)
        offset_map_put(&names->chains, frame, (uint64_t)*first << LENGTH_BITS | *count);
    return true;
}

bool profile_step_read(const struct profile_names *names, profile_name offset, struct profile_step *step) {
    const char *at = offset % 4 ? NULL : names_at(names, offset, sizeof *step);
    if (at)
        memcpy(step, at, sizeof *step);
    return at;
}

/* ---- The modules that a profile names. */

static bool add(struct profile_modules *modules, struct profile_names *names,
                const struct profile_record *record, uint64_t slot) {
    struct report_module module = {.path = profile_name_at(names, record->file),
                                   .build_id = profile_name_at(names, record->build_id)};
    if (!module.path)
        return true;
    if (!grow(&modules->list, modules->count, &modules->room, sizeof *modules->list) ||
        !grow(&modules->slots, modules->count, &modules->slot_room, sizeof *modules->slots))
        return false;
    modules->slots[modules->count] = slot;
    modules->list[modules->count++] = module;
    return true;
}

static bool read_chunk(struct profile_modules *modules, struct profile_names *names,
                       const struct profile_areas *areas, const struct profile_chunk *chunk, uint64_t first) {
    struct profile_record record;
    for (struct extent part = {0}; profile_chunk_next(areas, chunk, sizeof record, &part);)
        for (uint64_t at = part.begin; at < part.end; at += sizeof record) {
            profile_copy(&record, chunk->bytes + at, sizeof record);
            if (record.what == PROFILE_MODULE && !add(modules, names, &record, first + at / sizeof record))
                return false;
        }
    return true;
}

static bool is_same(const struct report_module *a, const struct report_module *b) {
    return strcmp(a->path, b->path) == 0 &&
           (a->build_id && b->build_id ? strcmp(a->build_id, b->build_id) == 0 : a->build_id == b->build_id);
}

static bool sort(struct profile_modules *modules) {
    struct report_module *sorted = modules->sorted = calloc(modules->count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    if (modules->count)
        memcpy(sorted, modules->list, modules->count * sizeof *sorted);
    modules_sort(sorted, modules->count);
    for (size_t i = 0; i < modules->count; i++)
        if (module_is_file(sorted[i].path) &&
            (!modules->sorted_count || !is_same(&sorted[modules->sorted_count - 1], &sorted[i])))
            sorted[modules->sorted_count++] = sorted[i];
    return true;
}

bool profile_modules_read(struct profile_modules *modules, struct profile_names *names,
                          const struct profile_areas *areas) {
    for (unsigned i = 0; i < PROFILE_CHUNKS; i++)
        if (!read_chunk(modules, names, areas, &areas->chunks[PROFILE_RECORDS][i],
                        chunk_start(PROFILE_RECORDS_FIRST, i)))
            return false;
    return sort(modules);
}

const struct report_module *profile_module_at(const struct profile_modules *modules, uint64_t slot) {
    size_t first = sorted_below(modules->slots, modules->count, sizeof *modules->slots, 0, slot);
    return first < modules->count && modules->slots[first] == slot ? &modules->list[first] : NULL;
}

void profile_modules_free(struct profile_modules *modules) {
    free(modules->slots);
    free(modules->sorted);
    free(modules->list);
}
