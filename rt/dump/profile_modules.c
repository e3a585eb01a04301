/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules that a profile names. */
#include "profile_modules.h"
#include "grow.h"
#include "module_order.h"

#include <string.h>

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
                        PROFILE_RECORDS_FIRST * ((UINT64_C(1) << i) - 1)))
            return false;
    return sort(modules);
}

const struct report_module *profile_module_at(const struct profile_modules *modules, uint64_t slot) {
    size_t first = 0, count = modules->count;
    while (count) {
        size_t half = count / 2;
        bool is_below = modules->slots[first + half] < slot;
        first += is_below ? half + 1 : 0;
        count = is_below ? count - half - 1 : half;
    }
    return first < modules->count && modules->slots[first] == slot ? &modules->list[first] : NULL;
}

void profile_modules_free(struct profile_modules *modules) {
    free(modules->slots);
    free(modules->sorted);
    free(modules->list);
}
