/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and inline chains of a profile. */
#include "dump/profile/names.h"

#include "base/chunks.h"
#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/base/modules.h"

#include <stdlib.h>
#include <string.h>

/* In those behind there is nothing that a name reaches. */
enum { CHUNKS = 18 };
_Static_assert(PROFILE_NAMES_FIRST *((UINT64_C(1) << CHUNKS) - 1) >= UINT32_MAX - PROFILE_NAMES_FIRST,
               "names reach no further");

/* Bytes that are not copied stay zero, and are no memory. */
static void copy_chunk(struct profile_names *names, const struct profile_areas *areas, unsigned number) {
    const struct profile_chunk *chunk = &areas->chunks[PROFILE_NAMES][number];
    char *to = names->chunks[number] = memory_zeros(chunk->size, 1);
    for (struct extent part = {0}; profile_chunk_next(areas, chunk, 1, &part);)
        memcpy(to + part.begin, chunk->bytes + part.begin, part.end - part.begin);
    names->sizes[number] = chunk->size;
}

void profile_names_read(struct profile_names *names, const struct profile_areas *areas) {
    *names = (struct profile_names){.places_left = areas->there->size / 4};
    for (unsigned i = 0; i < CHUNKS; i++)
        if (areas->chunks[PROFILE_NAMES][i].bytes)
            copy_chunk(names, areas, i);
}

void profile_names_free(struct profile_names *names) {
    for (unsigned i = 0; i < PROFILE_CHUNKS; i++)
        free(names->chunks[i]);
    for (size_t i = 0; i < names->chains.count; i++)
        free((struct profile_chain *)(uintptr_t)names->chains.list[i].value);
    number_map_free(&names->chains);
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

static size_t read_places(struct profile_names *names, profile_name offset, struct place *places) {
    size_t count = 0;
    for (; offset; count++) {
        struct profile_frame frame;
        const char *at = offset % 4 ? NULL : names_at(names, offset, sizeof frame);
        if (!at || count == PROFILE_CHAIN_MAX || !names->places_left) {
            names->wrong++;
            return count;
        }
        memcpy(&frame, at, sizeof frame);
        names->places_left--;
        places[count] = (struct place){.line = frame.line, .column = frame.column};
        places[count].function = profile_name_at(names, frame.function);
        places[count].file = profile_name_at(names, frame.file);
        offset = frame.caller;
    }
    return count;
}

/* Parts of a site share its chain. */
const struct profile_chain *profile_chain_read(struct profile_names *names, profile_name frame) {
    struct place places[PROFILE_CHAIN_MAX];
    const uint64_t *known = number_map_find(&names->chains, frame);
    if (known)
        return (const struct profile_chain *)(uintptr_t)*known;
    size_t count = read_places(names, frame, places);
    struct profile_chain *chain = memory_need(malloc(sizeof *chain + count * sizeof *places));
    chain->count = count;
    memcpy(chain->places, places, count * sizeof *places);
    number_map_add(&names->chains, frame, (uintptr_t)chain);
    return chain;
}

bool profile_step_read(const struct profile_names *names, profile_name offset, struct profile_step *step) {
    const char *at = offset % 4 ? NULL : names_at(names, offset, sizeof *step);
    if (at)
        memcpy(step, at, sizeof *step);
    return at;
}

/* ---- The modules that a profile names. */

static void add(struct profile_modules *modules, struct profile_names *names,
                const struct profile_record *record, uint64_t slot) {
    struct report_module module = {.path = profile_name_at(names, record->file),
                                   .build_id = profile_name_at(names, record->build_id)};
    if (!module.path)
        return;
    memory_grow(&modules->list, modules->count, &modules->room, sizeof *modules->list);
    memory_grow(&modules->slots, modules->count, &modules->slot_room, sizeof *modules->slots);
    modules->slots[modules->count] = slot;
    modules->list[modules->count++] = module;
}

static void read_chunk(struct profile_modules *modules, struct profile_names *names,
                       const struct profile_areas *areas, const struct profile_chunk *chunk, uint64_t first) {
    struct profile_record record;
    for (struct extent part = {0}; profile_chunk_next(areas, chunk, sizeof record, &part);)
        for (uint64_t at = part.begin; at < part.end; at += sizeof record) {
            profile_copy(&record, chunk->bytes + at, sizeof record);
            if (record.what == PROFILE_MODULE)
                add(modules, names, &record, first + at / sizeof record);
        }
}

static bool is_same(const struct report_module *a, const struct report_module *b) {
    return is_same_text(a->path, b->path) && is_same_text(a->build_id, b->build_id);
}

void profile_modules_read(struct profile_modules *modules, struct profile_names *names,
                          const struct profile_areas *areas) {
    for (unsigned i = 0; i < PROFILE_CHUNKS; i++)
        read_chunk(modules, names, areas, &areas->chunks[PROFILE_RECORDS][i],
                   chunk_start(PROFILE_RECORDS_FIRST, i));
    struct report_module *sorted = modules->sorted =
        memory_copy(modules->list, modules->count * sizeof *sorted);
    modules_sort(sorted, modules->count);
    for (size_t i = 0; i < modules->count; i++)
        if (module_is_file(sorted[i].path) &&
            (!modules->sorted_count || !is_same(&sorted[modules->sorted_count - 1], &sorted[i])))
            sorted[modules->sorted_count++] = sorted[i];
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
