/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report in Callgrind's format: self and inclusive costs of the lines of functions. */
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/export/export.h"
#include "names/names.h"

#include <stdlib.h>

/* This name makes speedscope show bytes. Names must not contain spaces, which end an event. */
static const char *const names[SAMPLE_VALUES] = {
    [SAMPLE_CALLS] = "Allocations",       [SAMPLE_BYTES] = "Memory_(bytes)",
    [SAMPLE_LIVE_BLOCKS] = "Live_blocks", [SAMPLE_LIVE_BYTES] = "Live_(bytes)",
    [SAMPLE_PEAK_BLOCKS] = "Peak_blocks", [SAMPLE_PEAK_BYTES] = "Peak_(bytes)",
};

struct function {
    const char *name, *file; /* strings of the samples' pool; file NULL: unknown */
    const char *module;      /* identifies a function without a file */
};

struct cost {
    uint32_t function, callee; /* numbers of functions; callee 0: self cost */
    uint32_t line;
    uint32_t last_sample; /* last sample added, from 1 on: a recursive function counts once */
    uint64_t values[SAMPLE_VALUES];
};

struct callgrind {
    const struct samples *samples;
    struct out *out;
    struct function *functions; /* element 0 is unused */
    size_t function_count, function_capacity;
    struct hash_index function_index;
    struct cost *costs;
    size_t count, capacity;
    uint32_t *order; /* indices of costs in output order */
    struct hash_index index;
    uint32_t *of_frames; /* functions of the frames */
    bool *is_named;      /* functions whose name was already written */
};

static bool is_function(const void *key, const void *context, size_t element) {
    const struct function *a = key, *b = &((const struct callgrind *)context)->functions[element];
    return a->name == b->name && a->file == b->file && (a->file || a->module == b->module);
}

static uint32_t function_of(struct callgrind *callgrind, const struct frame *frame) {
    struct function key = {frame->function, frame->file, frame->module};
    uint64_t hash = hash_number((uintptr_t)key.name, (uintptr_t)key.file);
    struct elements functions = {&callgrind->functions, &callgrind->function_count,
                                 &callgrind->function_capacity, sizeof key};
    return (uint32_t)hash_keep(&callgrind->function_index, hash, is_function, &key, callgrind, functions);
}

static bool is_cost(const void *key, const void *context, size_t element) {
    const struct cost *a = key, *b = &((const struct callgrind *)context)->costs[element];
    return a->function == b->function && a->callee == b->callee && a->line == b->line;
}

static void add_cost(struct callgrind *callgrind, const struct sample *sample, uint32_t frame,
                     uint32_t callee) {
    struct cost key = {.function = callgrind->of_frames[frame],
                       .callee = callee,
                       .line = callgrind->samples->frames[frame].line};
    uint64_t hash = hash_number(hash_number(key.function, key.callee), key.line);
    struct elements costs = {&callgrind->costs, &callgrind->count, &callgrind->capacity, sizeof key};
    size_t found = hash_keep(&callgrind->index, hash, is_cost, &key, callgrind, costs);
    uint32_t number = (uint32_t)(sample - callgrind->samples->list) + 1;
    struct cost *cost = &callgrind->costs[found];
    for (int i = 0; cost->last_sample != number && i < SAMPLE_VALUES; i++)
        cost->values[i] += sample->values[i];
    cost->last_sample = number;
}

static void add_sample(struct callgrind *callgrind, const struct sample *sample) {
    const uint32_t *path = &callgrind->samples->paths[sample->first];
    for (size_t i = 0; i < sample->count; i++)
        add_cost(callgrind, sample, path[i], i ? callgrind->of_frames[path[i - 1]] : 0);
}

/* Self costs of a function come before its calls. */
static int compare_costs(const void *a, const void *b, void *context) {
    const struct cost *costs = ((const struct callgrind *)context)->costs,
                      *left = &costs[*(const uint32_t *)a], *right = &costs[*(const uint32_t *)b];
    return compare_u64(left->function, right->function)
               ?: compare_u64(left->callee != 0, right->callee != 0)
               ?: compare_u64(left->line, right->line) ?: compare_u64(left->callee, right->callee);
}

/* The requested value comes first. */
static enum sample_value value_at(const struct samples *samples, size_t place) {
    size_t first = samples_first(samples);
    return (enum sample_value)(place == 0 ? first : place <= first ? place - 1 : place);
}

static void put_values(const struct callgrind *callgrind, const uint64_t *values) {
    for (size_t i = 0; i < callgrind->samples->value_count; i++)
        out_print(callgrind->out, " %lu", values[value_at(callgrind->samples, i)]);
    out_char(callgrind->out, '\n');
}

static void put_line(struct out *out, const char *key, const char *text) {
    out_text(out, key);
    out_plain(out, text);
    out_char(out, '\n');
}

static void put_head(const struct callgrind *callgrind) {
    const struct samples *samples = callgrind->samples;
    const struct report *report = samples->report;
    struct out *out = callgrind->out;
    char doubt[SAMPLES_DOUBT];
    out_print(out, "# callgrind format\nversion: 1\ncreator: allocsite\npid: %lu", report->pid);
    put_line(out, "\ncmd: ", report->run.command ? report->run.command : report->program);
    for (size_t i = 0; samples_doubt(doubt, samples, i); i++)
        put_line(out, "desc: allocsite: ", doubt);
    out_text(out, "positions: line\nevents:");
    for (size_t i = 0; i < samples->value_count; i++)
        out_print(out, " %s", names[value_at(samples, i)]);
    out_text(out, "\nsummary:");
    put_values(callgrind, samples->totals);
}

/* prefix: "c" for a callee. After its first use a name is abbreviated to its number. */
static void put_function(const struct callgrind *callgrind, const char *prefix, size_t number) {
    const struct function *function = &callgrind->functions[number];
    struct out *out = callgrind->out;
    out_text(out, prefix);
    put_line(out, "ob=", function->module ? function->module : "???");
    out_text(out, prefix);
    put_line(out, *prefix ? "fi=" : "fl=", function->file ? function->file : "???");
    out_print(out, "%sfn=(%lu)", prefix, number);
    put_line(out, callgrind->is_named[number] ? "" : " ", callgrind->is_named[number] ? "" : function->name);
    callgrind->is_named[number] = true;
}

static void put_cost(const struct callgrind *callgrind, const struct cost *cost) {
    struct out *out = callgrind->out;
    if (cost->callee) {
        put_function(callgrind, "c", cost->callee);
        out_print(out, "calls=%lu 0\n", cost->values[SAMPLE_CALLS]);
    }
    out_u64(out, cost->line);
    put_values(callgrind, cost->values);
}

static void put_all(struct callgrind *callgrind) {
    size_t function = 0;
    callgrind->order = memory_zeros(callgrind->count, sizeof *callgrind->order);
    for (uint32_t i = 0; i < callgrind->count; i++)
        callgrind->order[i] = i;
    qsort_r(callgrind->order, callgrind->count, sizeof *callgrind->order, compare_costs, callgrind);
    callgrind->is_named = memory_zeros(callgrind->function_count, sizeof *callgrind->is_named);
    put_head(callgrind);
    for (size_t i = 0; i < callgrind->count; i++) {
        const struct cost *cost = &callgrind->costs[callgrind->order[i]];
        if (cost->function != function) {
            function = cost->function;
            out_char(callgrind->out, '\n');
            put_function(callgrind, "", function);
        }
        put_cost(callgrind, cost);
    }
}

void export_callgrind(struct out *out, const struct samples *samples) {
    struct callgrind callgrind = {.samples = samples, .out = out};
    function_of(&callgrind, &(struct frame){.function = NULL});
    callgrind.of_frames = memory_zeros(samples->frame_count, sizeof *callgrind.of_frames);
    for (size_t i = 0; i < samples->frame_count; i++)
        callgrind.of_frames[i] = function_of(&callgrind, &samples->frames[i]);
    for (size_t i = 0; i < samples->count; i++)
        add_sample(&callgrind, &samples->list[i]);
    hash_free(&callgrind.function_index);
    hash_free(&callgrind.index);
    put_all(&callgrind);
    free(callgrind.functions);
    free(callgrind.costs);
    free(callgrind.order);
    free(callgrind.of_frames);
    free(callgrind.is_named);
}
