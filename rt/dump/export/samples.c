/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts a report to samples, which all exports share. */
#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/base/terminal.h"
#include "dump/export/export.h"
#include "dump/view/views.h"
#include "model/report.h"
#include "names/names.h"
#include "write/shown_names.h"
#include "write/summary.h"

#include <ctype.h>
#include <signal.h>
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

/* A C function is named by its symbol. */
static bool is_word(const char *symbol) {
    size_t length = 0;
    while (symbol[length] == '_' || isalnum((unsigned char)symbol[length]))
        length++;
    return length && !symbol[length] && length < NAME_SIZE && !is_mangled(symbol);
}

/* Strings are interned, so pointers are compared. */
static bool is_frame(const void *key, const void *context, size_t element) {
    const struct frame *a = key, *b = &((const struct samples *)context)->frames[element];
    return a->symbol == b->symbol && a->file == b->file && a->module == b->module &&
           a->address == b->address && a->line == b->line && a->column == b->column &&
           a->is_inlined == b->is_inlined;
}

static uint64_t hash_frame(const struct frame *frame) {
    uint64_t hash = hash_number((uintptr_t)frame->symbol, (uintptr_t)frame->file);
    hash = hash_number(hash_number(hash, (uintptr_t)frame->module), frame->address);
    return hash_number(hash, (uint64_t)frame->line << 32 | frame->column << 1 | frame->is_inlined);
}

/* Returns the frame's index. */
static uint32_t frame_of(struct samples *samples, const struct path_place *at) {
    struct string_pool *strings = &samples->strings;
    struct frame frame = {.symbol = string_borrow(strings, at->function),
                          .file = string_borrow(strings, at->file),
                          .module = string_borrow(strings, at->module),
                          .address = at->address,
                          .line = at->line,
                          .column = at->column,
                          .is_inlined = at->is_inlined};
    uint64_t hash = hash_frame(&frame);
    struct elements frames = {&samples->frames, &samples->frame_count, &samples->frame_capacity,
                              sizeof frame};
    return (uint32_t)hash_keep(&samples->index, hash, is_frame, &frame, samples, frames);
}

void sample_values(uint64_t values[SAMPLE_VALUES], const struct counters *counters) {
    values[SAMPLE_CALLS] = counters_calls(counters);
    values[SAMPLE_BYTES] = counters_bytes(counters);
    values[SAMPLE_LIVE_BLOCKS] = counters->live_blocks;
    values[SAMPLE_LIVE_BYTES] = counters->live_bytes;
    values[SAMPLE_PEAK_BLOCKS] = counters->peak_blocks;
    values[SAMPLE_PEAK_BYTES] = counters->peak_bytes;
}

static void add_sample(struct samples *samples, const struct sample *sample) {
    memory_grow(&samples->list, samples->count, &samples->capacity, sizeof *samples->list);
    samples->list[samples->count++] = *sample;
    progress_show("samples", samples->count, 0);
    for (int i = 0; i < SAMPLE_VALUES; i++)
        samples->totals[i] += sample->values[i];
}

static void add_frame(struct samples *samples, struct sample *sample, const struct path_place *at) {
    memory_grow(&samples->paths, samples->path_count, &samples->path_capacity, sizeof *samples->paths);
    samples->paths[samples->path_count++] = frame_of(samples, at);
    sample->count++;
}

/* ---- Phases: a sample for the allocations in each phase. */

static int compare_phase_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void name_phases(struct samples *samples) {
    size_t count = samples->report->phase_count;
    const char **names = samples->phase_names = memory_zeros(count, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = samples->report->phases[i].phase;
    qsort(names, count, sizeof *names, compare_phase_names);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(names[i], names[samples->phase_count - 1]) != 0)
            names[samples->phase_count++] = names[i];
}

static int compare_phase_name(const void *name, const void *element) {
    return strcmp(name, *(const char *const *)element);
}

static size_t phase_number(const struct samples *samples, const char *phase) {
    return sorted_before(samples->phase_names, samples->phase_count, sizeof *samples->phase_names, phase,
                         compare_phase_name);
}

/* Groups samples by phase, because there can be many of both. */
static void part_by_phase(struct samples *samples) {
    size_t *first = samples->phase_first = memory_zeros(samples->phase_count + 1, sizeof *first);
    samples->phased = memory_zeros(samples->count, sizeof *samples->phased);
    for (size_t i = 0; i < samples->count; i++)
        if (samples->list[i].phase)
            first[phase_number(samples, samples->list[i].phase) + 1]++;
    for (size_t i = 0; i < samples->phase_count; i++)
        first[i + 1] += first[i];
    size_t *next = memory_copy(first, (samples->phase_count + 1) * sizeof *next);
    for (size_t i = 0; i < samples->count; i++)
        if (samples->list[i].phase)
            samples->phased[next[phase_number(samples, samples->list[i].phase)]++] = (uint32_t)i;
    free(next);
}

static int compare_phase(const void *key, const void *element) {
    return order_phases(key, element);
}

/* Index of the first phase of a site or stack. */
static size_t first_phase(const struct report *report, const struct report_phase *owner) {
    return sorted_before(report->phases, report->phase_count, sizeof *report->phases, owner, compare_phase);
}

static uint64_t take_amount(uint64_t *remaining, uint64_t wanted) {
    uint64_t taken = wanted < *remaining ? wanted : *remaining;
    *remaining -= taken;
    return taken;
}

/* Adds samples for phases and subtracts them from the rest. The counters of a running program may have been
 * read at different times. */
static void add_phases(struct samples *samples, struct sample *remaining, const struct report_phase *owner) {
    const struct report *report = samples->report;
    for (size_t i = first_phase(report, owner); i < report->phase_count; i++) {
        const struct report_phase *phase = &report->phases[i];
        if (phase->site != owner->site || phase->stack != owner->stack)
            break;
        struct sample sample = *remaining;
        memset(sample.values, 0, sizeof sample.values);
        remaining->lived = 0; /* only one of the samples with equal frames has this value */
        sample.phase = phase->phase;
        sample.values[SAMPLE_CALLS] = take_amount(&remaining->values[SAMPLE_CALLS], phase->calls);
        sample.values[SAMPLE_BYTES] = take_amount(&remaining->values[SAMPLE_BYTES], phase->bytes);
        add_sample(samples, &sample);
    }
}

static bool is_empty(const struct sample *sample) {
    uint64_t any = 0;
    for (int i = 0; i < SAMPLE_VALUES; i++)
        any |= sample->values[i];
    return !any;
}

/* ---- Names of frames. */

/* Caches short names: many frames share a function, and shortening is slow. */
static const char *short_name(struct samples *samples, const char *symbol) {
    char text[NAME_SIZE];
    if (is_word(symbol))
        return symbol;
    const uint64_t *known = number_map_find(&samples->short_names, (uintptr_t)symbol);
    if (known)
        return (const char *)(uintptr_t)*known;
    name_function(text, symbol, NAME_SIZE);
    const char *name = string_keep(&samples->strings, text);
    number_map_add(&samples->short_names, (uintptr_t)symbol, (uintptr_t)name);
    return name;
}

/* A frame without a name is shown as its address. */
static const char *name_of_address(struct samples *samples, const struct frame *at) {
    char text[NAME_SIZE];
    struct out out;
    out_open_memory(&out, text, sizeof text);
    out_plain(&out, at->module && !at->file ? path_base(at->module) : NULL);
    if (at->address)
        out_print(&out, "+0x%lx", at->address);
    return string_keep(&samples->strings, text);
}

/* Viewers identify functions by name. Adds the symbols whose short names are not unique. */
static void add_ambiguous(struct samples *samples, struct shown_names *ambiguous) {
    struct number_map symbols = {0}; /* first symbol of each short name */
    for (size_t i = 0; i < samples->frame_count; i++) {
        const struct frame *frame = &samples->frames[i];
        if (!frame->symbol)
            continue;
        const uint64_t *first = number_map_find(&symbols, (uintptr_t)frame->function);
        if (!first)
            number_map_add(&symbols, (uintptr_t)frame->function, (uintptr_t)frame->symbol);
        else if (*first != (uintptr_t)frame->symbol) {
            shown_names_add(ambiguous, NAME_FUNCTION, (const char *)(uintptr_t)*first);
            shown_names_add(ambiguous, NAME_FUNCTION, frame->symbol);
        }
    }
    number_map_free(&symbols);
}

static void distinguish_names(struct samples *samples) {
    struct shown_names ambiguous = {0};
    struct number_map apart = {0}; /* shown name of each symbol */
    char text[NAME_SIZE];
    add_ambiguous(samples, &ambiguous);
    for (size_t i = 0; i < samples->frame_count && ambiguous.kinds[NAME_FUNCTION].count; i++) {
        struct frame *frame = &samples->frames[i];
        const uint64_t *known = frame->symbol ? number_map_find(&apart, (uintptr_t)frame->symbol) : NULL;
        if (known)
            frame->function = (const char *)(uintptr_t)*known;
        if (known || !frame->symbol || is_word(frame->symbol))
            continue;
        frame->function = string_keep(&samples->strings,
                                      shown_name(&ambiguous, NAME_FUNCTION, frame->symbol, NAME_SIZE, text));
        number_map_add(&apart, (uintptr_t)frame->symbol, (uintptr_t)frame->function);
    }
    number_map_free(&apart);
    shown_names_free(&ambiguous);
}

static void name_frames(struct samples *samples) {
    for (size_t i = 0; i < samples->frame_count; i++) {
        struct frame *frame = &samples->frames[i];
        frame->function = !frame->symbol        ? name_of_address(samples, frame)
                          : samples->full_names ? frame->symbol
                                                : short_name(samples, frame->symbol);
    }
    if (!samples->full_names)
        distinguish_names(samples);
}

/* ---- All samples. */

static uint64_t blocks_released(const struct counters *counters) {
    return counters->frees + counters->moved;
}

static uint64_t lifetime_of(const struct tree_part *part) {
    const struct report_site *site = part->site;
    if (!site->lifetimes || !blocks_released(&site->counters))
        return 0;
    return (uint64_t)((unsigned __int128)site->lifetimes->of.nanoseconds * blocks_released(part->counters) /
                      blocks_released(&site->counters));
}

static void add_part(void *context, const struct tree_part *part) {
    struct samples *samples = context;
    const struct site_view *site =
        part->stack && part->stack->origin ? part->stack->origin : &part->site->view;
    struct sample sample = {.site = site, .lived = lifetime_of(part), .first = samples->path_count};
    sample_values(sample.values, part->counters);
    for (size_t i = 0; i < part->path->count; i++)
        add_frame(samples, &sample, &part->path->places[i]);
    add_phases(samples, &sample, &(struct report_phase){.site = part->site, .stack = part->stack});
    if (!is_empty(&sample))
        add_sample(samples, &sample);
}

/* Frees tables that are no longer needed before the output is written. */
static void free_indices(struct samples *samples) {
    hash_free(&samples->index);
    number_map_free(&samples->short_names);
    string_pool_close(&samples->strings);
}

void samples_make(struct samples *samples) {
    samples->value_count = samples->report->is_unowned ? SAMPLE_OWNED : SAMPLE_VALUES;
    name_phases(samples);
    tree_parts(samples->report, (struct tree_extent){0}, add_part, samples);
    name_frames(samples);
    part_by_phase(samples);
    free_indices(samples);
}

void samples_free(struct samples *samples) {
    free(samples->list);
    free(samples->paths);
    free(samples->frames);
    free(samples->phase_names);
    free(samples->phased);
    free(samples->phase_first);
    string_pool_free(&samples->strings);
}

enum sample_value samples_first(const struct samples *samples) {
    return samples->by == MEASURE_ALLOCS ? SAMPLE_CALLS
           : samples->by == MEASURE_LIVE ? SAMPLE_LIVE_BYTES
           : samples->by == MEASURE_PEAK ? SAMPLE_PEAK_BYTES
                                         : SAMPLE_BYTES;
}

size_t *samples_numbers(const struct samples *samples, size_t *count) {
    const struct report *report = samples->report;
    size_t *numbers = memory_zeros(report->counted, sizeof *numbers);
    *count = 0;
    for (size_t i = 0; i < report->counted && (!samples->top || *count < samples->top); i++)
        if (!report->sites[i]->view.outside_totals)
            numbers[(*count)++] = (size_t)(report->sites[i] - samples->moment->rows);
    return numbers;
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
        out_text(&out, "finished: no, the program had not ended normally");
    return text[0];
}

/* ---- The view. */

/* The measure that chooses sites. For tracks it is the peak, since live bytes at the end say little about
 * earlier times. */
static enum measure first_measure(const struct showing *showing) {
    return showing->has_sort                        ? (enum measure)showing->options.sort
           : showing->export->write == export_trace ? MEASURE_PEAK
                                                    : MEASURE_BYTES;
}

int show_export(const char *path, struct report *report, struct showing *showing) {
    const struct options *options = &showing->options;
    struct samples samples = {.report = report,
                              .moment = showing->moment,
                              .by = first_measure(showing),
                              .top = options->top_given ? options->top : 100,
                              .full_names = options->full_names};
    struct report_limits everything = {.sort = (enum report_sort)samples.by,
                                       .full_names = samples.full_names};
    report->directory = NULL;
    report_prepare(report, &everything);
    if (samples.by > MEASURE_ALLOCS && laws_need_owners(path, report))
        return STATUS_FAILED;
    if (showing->export->write == export_trace && !samples.moment)
        return complain_file(
            path, "is not a recording, and only recordings have a timeline: allocsite-dump record");
    samples_make(&samples);
    signal(SIGXFSZ, SIG_IGN); /* exceeding a limit on the size of files becomes a write error */
    showing->export->write(standard_out(), &samples);
    int status = standard_out_end();
    samples_free(&samples);
    return status;
}
