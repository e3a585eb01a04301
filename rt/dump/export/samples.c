/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as samples: what exports have in common. */
#include "dump/base/memory.h"
#include "dump/base/modules.h"
#include "dump/export/export.h"
#include "dump/view/tree.h"
#include "write/names.h"
#include "write/summary.h"

#include <stdlib.h>
#include <string.h>

const struct export_format *export_named(const char *name) {
#define ALLOCSITE_EXPORT(name, is_binary) {#name, export_##name, is_binary},
    static const struct export_format all[] = {ALLOCSITE_EXPORTS(ALLOCSITE_EXPORT)};
#undef ALLOCSITE_EXPORT
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What has no name is called by where it is. */
static const char *name_of(struct samples *samples, const struct tree_place *at) {
    char text[NAME_SIZE];
    struct out out;
    if (at->function && samples->full_names)
        return at->function;
    if (at->function) {
        name_function(text, at->function, NAME_SIZE);
        return string_keep(&samples->strings, text);
    }
    out_open_memory(&out, text, sizeof text);
    out_plain(&out, at->module && !at->file ? base_name(at->module) : NULL);
    if (at->address) {
        out_text(&out, "+0x");
        out_hex(&out, at->address);
    }
    return string_keep(&samples->strings, text);
}

static bool is_place(const void *key, const void *context, size_t element) {
    const struct tree_place *a = key, *b = &((const struct samples *)context)->places[element];
    return a->function == b->function && a->file == b->file && a->module == b->module &&
           a->address == b->address && a->line == b->line && a->column == b->column &&
           a->is_inlined == b->is_inlined;
}

static uint64_t hash_place(const struct tree_place *at) {
    uint64_t hash = hash_number((uintptr_t)at->function, (uintptr_t)at->file);
    hash = hash_number(hash_number(hash, (uintptr_t)at->module), at->address);
    return hash_number(hash, (uint64_t)at->line << 32 | at->column << 1 | at->is_inlined);
}

/* Number of the frame. Texts are in the pool, once each. */
static uint32_t frame_of(struct samples *samples, struct tree_place at) {
    at.function = string_keep(&samples->strings, at.function);
    at.file = string_keep(&samples->strings, at.file);
    at.module = string_keep(&samples->strings, at.module);
    uint64_t hash = hash_place(&at);
    size_t found = hash_find(&samples->index, hash, is_place, &at, samples);
    if (found != HASH_NONE)
        return (uint32_t)found;
    memory_grow(&samples->places, samples->frame_count, &samples->place_room, sizeof *samples->places);
    memory_grow(&samples->frames, samples->frame_count, &samples->frame_room, sizeof *samples->frames);
    hash_put(&samples->index, hash, samples->frame_count);
    samples->places[samples->frame_count] = at;
    samples->frames[samples->frame_count] = (struct frame){.function = name_of(samples, &at),
                                                           .symbol = at.function,
                                                           .file = at.file,
                                                           .module = at.module,
                                                           .line = at.line,
                                                           .column = at.column,
                                                           .is_inlined = at.is_inlined};
    return (uint32_t)samples->frame_count++;
}

void sample_values(uint64_t values[SAMPLE_VALUES], const struct counters *counters) {
    values[SAMPLE_CALLS] = counters_calls(counters);
    values[SAMPLE_BYTES] = counters_bytes(counters);
    values[SAMPLE_LIVE_BLOCKS] = counters->live_blocks;
    values[SAMPLE_LIVE_BYTES] = counters->live_bytes;
    values[SAMPLE_PEAK_BLOCKS] = counters->peak_blocks;
    values[SAMPLE_PEAK_BYTES] = counters->peak_bytes;
}

static void add_sample(struct samples *samples, const struct site_view *site,
                       const struct counters *counters) {
    memory_grow(&samples->list, samples->count, &samples->room, sizeof *samples->list);
    struct sample *sample = &samples->list[samples->count++];
    *sample = (struct sample){.site = site, .first = samples->path_count};
    sample_values(sample->values, counters);
    for (int i = 0; i < SAMPLE_VALUES; i++)
        samples->totals[i] += sample->values[i];
}

static void add_frame(struct samples *samples, const struct tree_place *at) {
    memory_grow(&samples->paths, samples->path_count, &samples->path_room, sizeof *samples->paths);
    samples->paths[samples->path_count++] = frame_of(samples, *at);
    samples->list[samples->count - 1].count++;
}

static void add_part(void *context, const struct tree_part *part) {
    struct samples *samples = context;
    add_sample(samples, &part->site->view, part->counters);
    for (size_t i = 0; i < part->path->count; i++)
        add_frame(samples, &part->path->places[i]);
}

static void add_left_out(struct samples *samples) {
    static const struct site_view view = {.id = ROW_LEFT_OUT_ID, .module = ROW_LEFT_OUT};
    if (!samples->report->left_out)
        return;
    add_sample(samples, &view, &samples->report->hidden.counters);
    add_frame(samples, &(struct tree_place){.module = view.module});
}

void samples_make(struct samples *samples, const struct symbolizer *symbolizer) {
    samples->value_count = samples->report->is_unowned ? SAMPLE_OWNED : SAMPLE_VALUES;
    tree_parts(samples->report, symbolizer, add_part, samples);
    add_left_out(samples);
}

void samples_free(struct samples *samples) {
    free(samples->list);
    free(samples->paths);
    free(samples->frames);
    free(samples->places);
    hash_free(&samples->index);
    string_pool_free(&samples->strings);
}

enum sample_value samples_first(const struct samples *samples) {
    return samples->by == MEASURE_ALLOCS ? SAMPLE_CALLS
           : samples->by == MEASURE_LIVE ? SAMPLE_LIVE_BYTES
           : samples->by == MEASURE_PEAK ? SAMPLE_PEAK_BYTES
                                         : SAMPLE_BYTES;
}

bool samples_doubt(char text[SAMPLES_DOUBT], const struct samples *samples, size_t index) {
    const struct report *report = samples->report;
    struct out out;
    struct page page = {.out = &out, .report = report};
    out_open_memory(&out, text, SAMPLES_DOUBT);
    if (index < report->reason_count) {
        out_text(&out, "exact: no, ");
        summary_reason(&page, index);
    } else if (index == report->reason_count && !report->finished)
        out_text(&out, "finished: no, the program had not ended by itself");
    return text[0];
}
