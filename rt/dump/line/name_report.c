/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names for the addresses of a report. */
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/elf/module_files.h"
#include "dump/line/perf_map.h"
#include "dump/line/symbolize.h"
#include "dump/line/tail_calls.h"

#include <stdlib.h>
#include <string.h>

/* Size of a cache of recent frames: many stacks consist of few addresses. */
enum { FRAMES_LATELY = 1 << 12 };

struct recent_frame {
    struct report_frame frame;
    const struct tail_calls *code;
};

/* Returns the entry for the frame, and sets whether it is new. */
static struct recent_frame *recent_frame(struct recent_frame *recent, const struct report_frame *frame,
                                         bool *is_new) {
    recent += hash_number((uintptr_t)frame->module, frame->address) % FRAMES_LATELY;
    *is_new = recent->frame.module != frame->module || recent->frame.address != frame->address;
    if (*is_new)
        recent->frame = *frame;
    return recent;
}

static void want_frames(struct symbolizer *symbolizer, const struct report_frame *frames, size_t count,
                        struct recent_frame *recent) {
    bool is_new;
    for (size_t i = 0; i < count; i++)
        if (frames[i].module && recent_frame(recent, &frames[i], &is_new) && is_new)
            symbolizer_want(symbolizer, frames[i].module->path, frames[i].module->build_id,
                            frames[i].address);
}

static void want_all(struct symbolizer *symbolizer, const struct report *report) {
    struct recent_frame *recent = memory_zeros(FRAMES_LATELY, sizeof *recent);
    for (size_t i = 0; i < report->site_count; i++) {
        const struct site_view *view = &report->sites[i]->view;
        symbolizer_want(symbolizer, view->module, view->build_id, view->address);
    }
    for (size_t i = 0; i < report->stack_count; i++)
        want_frames(symbolizer, report->stacks[i].frames, report->stacks[i].frame_count, recent);
    want_frames(symbolizer, report->run.frames, report->run.frame_count, recent);
    free(recent);
}

/* Names code that a just-in-time compiler wrote. */
static void name_in_map(struct symbolizer *symbolizer, const struct perf_map *map, const char *module,
                        uint64_t address, const char **function) {
    const char *name =
        map->count && module && strcmp(module, MODULE_NONE) == 0 ? perf_map_find(map, address - 1) : NULL;
    if (name)
        *function = string_keep(&symbolizer->strings, name);
}

static void name_row(struct symbolizer *symbolizer, struct site_view *view) {
    size_t count;
    const struct place *places =
        symbolizer_find(symbolizer, view->module, view->build_id, view->address, &count);
    if (!count || !places[0].function)
        return;
    view->at = places[0];
    view->inlined = places + 1;
    view->inlined_count = count - 1;
}

static void name_frame(struct symbolizer *symbolizer, struct report_frame *frame,
                       const struct perf_map *map) {
    size_t count;
    const struct place *places =
        symbolizer_find(symbolizer, frame->module->path, frame->module->build_id, frame->address, &count);
    frame->places = places;
    frame->place_count = (uint32_t)count;
    if (count && places[count - 1].file) {
        frame->file = places[count - 1].file;
        frame->line = places[count - 1].line;
    }
    if (count && places[count - 1].function)
        frame->function = places[count - 1].function;
    name_in_map(symbolizer, map, frame->module->path, frame->address, &frame->function);
}

static void name_sites(struct symbolizer *symbolizer, struct report *report, const struct perf_map *map) {
    for (size_t i = 0; i < report->site_count; i++) {
        struct site_view *view = &report->sites[i]->view;
        if (!view->address)
            continue;
        name_row(symbolizer, view);
        name_in_map(symbolizer, map, view->module, view->address, &view->at.function);
    }
}

/* Returns how many functions are missing between the frames. */
static size_t name_frames(struct symbolizer *symbolizer, struct report_frame *frames, size_t count,
                          struct recent_frame *recent, const struct perf_map *map) {
    const struct tail_calls *code = NULL;
    size_t missing = 0;
    for (size_t i = 0; i < count; i++) {
        struct report_frame *frame = &frames[i];
        const struct tail_calls *below = code;
        bool is_new;
        code = NULL;
        if (!frame->module || !frame->address)
            continue;
        struct recent_frame *known = recent_frame(recent, frame, &is_new);
        if (is_new) {
            name_frame(symbolizer, &known->frame, map);
            known->code = symbolizer_code(symbolizer, frame->module, frame->address);
        }
        *frame = known->frame;
        code = known->code;
        missing += i && frame[-1].module == frame->module && tail_calls_between(below, code);
    }
    return missing;
}

/* Adds the missing functions to a stack. */
static void complete_stack(struct symbolizer *symbolizer, struct report_stack *stack, size_t missing) {
    struct report_frame *frames = memory_zeros(stack->frame_count + missing, sizeof *frames);
    const struct tail_calls *code = NULL;
    size_t count = 0;
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct report_frame *frame = &stack->frames[i];
        const struct tail_calls *below = code;
        code = frame->module ? symbolizer_code(symbolizer, frame->module, frame->address) : NULL;
        if (i && frame[-1].module == frame->module && tail_calls_between(below, code))
            frames[count++] = (struct report_frame){.module = frame->module, .function = code->name};
        frames[count++] = *frame;
    }
    stack->frames = frames;
    stack->frame_count = count;
    memory_grow(&symbolizer->completed, symbolizer->completed_count, &symbolizer->completed_capacity,
                sizeof *symbolizer->completed);
    symbolizer->completed[symbolizer->completed_count++] = frames;
}

static void name_stacks(struct symbolizer *symbolizer, struct report *report, const struct perf_map *map) {
    struct recent_frame *recent = memory_zeros(FRAMES_LATELY, sizeof *recent);
    for (size_t i = 0; i < report->stack_count; i++) {
        struct report_stack *stack = &report->stacks[i];
        size_t missing = name_frames(symbolizer, stack->frames, stack->frame_count, recent, map);
        if (missing)
            complete_stack(symbolizer, stack, missing);
    }
    name_frames(symbolizer, report->run.frames, report->run.frame_count, recent, map);
    free(recent);
}

/* A report of several processes has no perf map, because its addresses belong to no known process. */
void symbolize_report(struct symbolizer *symbolizer, struct report *report) {
    struct perf_map map = {.count = 0};
    if (symbolizer->is_off)
        return;
    want_all(symbolizer, report);
    symbolizer_look_up(symbolizer);
    if (!report->several.count)
        perf_map_open(&map, report->pid, report->run.begun);
    name_sites(symbolizer, report, &map);
    name_stacks(symbolizer, report, &map);
    perf_map_close(&map);
}
