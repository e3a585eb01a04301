/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Points and verdicts from the profiles of a run. A run has a profile for each of its processes; a point that
 * several of them have is one point. */
#include "base/arrays.h"
#include "base/hash.h"
#include "base/path.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/line/attribute.h"
#include "dump/line/chooser.h"
#include "dump/load/source.h"
#include "dump/run/sweep.h"
#include "names/names.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- Reports with the paths of their stacks. */

struct loaded_run {
    struct report_source source;
    struct symbolizer symbolizer;
    struct line_paths *paths; /* NULL: addresses are not symbolized */
};

static bool run_open(struct loaded_run *run, const char *path, struct reason *why) {
    *run = (struct loaded_run){.symbolizer.is_quiet = true};
    if (!report_source_load(&run->source, path, why))
        return false;
    attribute_remaining(run->source.report);
    return true;
}

/* Looking up lines takes longer than most runs, so it is left out where no line is shown. */
static void run_symbolize(struct loaded_run *run) {
    if (run->paths)
        return;
    symbolize_report(&run->symbolizer, run->source.report);
    run->paths = line_paths_make(&run->symbolizer, run->source.report);
}

static void run_close(struct loaded_run *run) {
    line_paths_free(run->paths);
    report_source_free(&run->source);
    symbolizer_free(&run->symbolizer);
}

/* ---- Points. */

static uint64_t path_of(const struct report_stack *stack) {
    uint64_t id = stack->site->view.id;
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct report_module *module = stack->frames[i].module;
        id = path_id_more(id, module && module->build_id ? module->build_id : "", module ? module->path : "",
                          stack->frames[i].address);
    }
    return id;
}

static uint64_t id_of(const struct sweep *sweep, const struct report_stack *stack) {
    return sweep->per_site ? stack->site->view.id : path_of(stack);
}

static bool is_point(const struct report_stack *stack) {
    return counters_calls(&stack->counters) || stack->counters.failed;
}

static char *place_text(const struct place *place, const char *module, uint64_t address) {
    char name[NAME_SIZE] = "";
    if (place->function)
        name_function(name, place->function, SIZE_MAX);
    if (place->function && place->file && place->line)
        return memory_text("%s at %s:%u", name, place->file, place->line);
    if (place->function)
        return memory_text("%s at %s", name, module ?: "?");
    return memory_text("%s+0x%" PRIx64, module ?: "?", address);
}

static char *copy_text(const char *text) {
    return text ? memory_text("%s", text) : NULL;
}

/* Sets the line and the path of a point. */
static void sweep_describe_point(struct sweep_point *point, struct loaded_run *run,
                                 const struct report_stack *stack) {
    size_t count, line;
    const struct report_call *calls = run->paths->paths.take(&run->paths->paths, stack, &count, &line);
    char name[NAME_SIZE] = "";
    for (size_t i = 0; i < count; i++)
        sweep_texts_add(&point->stack, place_text(&calls[i].at, calls[i].module, calls[i].address));
    const struct place *at = count ? &calls[line].at : &stack->site->view.at;
    if (at->function)
        name_function(name, at->function, SIZE_MAX);
    point->function = at->function ? copy_text(name) : NULL;
    point->file = copy_text(at->file);
    point->line = at->line;
    point->callee = copy_text(stack->site->view.callee);
}

static int compare_ids(const void *a, const void *b) {
    const struct sweep_point *left = a, *right = b;
    return compare_u64(left->id, right->id);
}

static void sort_points(struct sweep *sweep) {
    sort_list(sweep->points, sweep->count, sizeof *sweep->points, compare_ids);
}

struct sweep_point *sweep_find(const struct sweep *sweep, uint64_t id) {
    const struct sweep_point key = {.id = id};
    return sweep->count ? bsearch(&key, sweep->points, sweep->count, sizeof key, compare_ids) : NULL;
}

/* Adds the counts of one process. */
static void add_stack(struct sweep *sweep, struct loaded_run *run, const struct report_stack *stack,
                      struct number_map *known) {
    uint64_t id = id_of(sweep, stack);
    const uint64_t *at = number_map_find(known, id);
    if (!at) {
        memory_grow(&sweep->points, sweep->count, &sweep->capacity, sizeof *sweep->points);
        sweep->points[sweep->count] = (struct sweep_point){.id = id};
        sweep_describe_point(&sweep->points[sweep->count], run, stack);
        number_map_add(known, id, ++sweep->count);
        at = number_map_find(known, id);
    }
    struct sweep_point *point = &sweep->points[*at - 1];
    point->calls += counters_calls(&stack->counters);
    point->failed += stack->counters.failed;
    point->leaked += stack->counters.leaked_blocks;
}

/* ---- Signals and faults. */

static bool is_crash(uint64_t signal) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signal == (uint64_t)signals[i])
            return true;
    return false;
}

/* Up to main, like call paths. */
static void add_frames(struct sweep_texts *texts, const struct report_frame *frames, size_t count) {
    for (size_t i = 0; i < count && (!i || strcmp(frames[i - 1].function ?: "", "main") != 0); i++) {
        const struct report_frame *frame = &frames[i];
        const struct place plain = {.function = frame->function};
        const char *module = frame->module ? frame->module->path : NULL;
        for (size_t j = 0; j < frame->place_count; j++)
            sweep_texts_add(texts, place_text(&frame->places[j], module, frame->address));
        if (!frame->place_count)
            sweep_texts_add(texts, place_text(&plain, module, frame->address));
    }
}

static char *site_text(const struct report_site *site) {
    return site ? place_text(&site->view.at, site->view.module, site->view.address) : copy_text("?");
}

static char *fault_text(const struct report_pair *pair) {
    char *by = site_text(pair->by), *owner = pair->owner ? site_text(pair->owner) : NULL;
    char *text =
        memory_text("%s: %s%s%s", pair_words(pair->kind), by, owner ? "; it came from " : "", owner ?: "");
    free(by);
    free(owner);
    return text;
}

static bool has_text(const struct sweep_texts *texts, const char *text) {
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->list[i], text) == 0)
            return true;
    return false;
}

/* Adds the faults that the plain run does not have. */
static void add_faults(struct sweep_texts *to, const struct sweep_texts *plain, struct loaded_run *run) {
    const struct report *report = run->source.report;
    for (size_t i = 0; i < report->pair_count; i++) {
        const struct report_pair *pair = &report->pairs[i];
        if (pair->kind != FAULT_DOUBLE_FREE && pair->kind != FAULT_FOREIGN)
            continue;
        run_symbolize(run);
        char *text = fault_text(pair);
        if (!has_text(plain, text))
            sweep_texts_add(to, text);
        else
            free(text);
    }
}

/* The faults and signals of the plain run are no result of a failure. */
static void note_end(struct sweep *sweep, struct loaded_run *run) {
    static const struct sweep_texts none;
    const struct report_run *end = &run->source.report->run;
    add_faults(&sweep->plain.details, &none, run);
    if (end->ending == PROFILE_SIGNAL && is_crash(end->status))
        sweep->plain.signal = end->status;
}

/* ---- The profiles of the plain run. */

static bool add_profile(struct sweep *sweep, const char *path, struct number_map *known) {
    struct loaded_run run;
    struct reason why;
    if (!run_open(&run, path, &why))
        return complain_file(path, "%s", why.text) == STATUS_DONE;
    run_symbolize(&run);
    for (size_t i = 0; i < run.source.report->stack_count; i++)
        if (is_point(&run.source.report->stacks[i]))
            add_stack(sweep, &run, &run.source.report->stacks[i], known);
    note_end(sweep, &run);
    run_close(&run);
    return true;
}

bool sweep_points_find(struct sweep *sweep, const char *directory) {
    struct number_map known = {0};
    int count;
    char **files = folder_files(directory, &count);
    bool is_read = true;
    for (int i = 0; i < count; i++) {
        is_read = is_read && add_profile(sweep, files[i], &known);
        free(files[i]);
    }
    free(files);
    number_map_free(&known);
    sort_points(sweep);
    return is_read;
}

/* ---- Verdicts. */

static void judge_faults(const struct sweep *sweep, struct sweep_point *point, struct loaded_run *run) {
    size_t before = point->details.count;
    add_faults(&point->details, &sweep->plain.details, run);
    if (point->details.count > before)
        point->verdict = SWEEP_FAULT;
}

/* The stack is that of the first process that a signal ended. */
static void judge_signal(const struct sweep *sweep, struct sweep_point *point, struct loaded_run *run,
                         bool is_hanging) {
    const struct report_run *end = &run->source.report->run;
    if (end->ending != PROFILE_SIGNAL || point->at.count || (!is_hanging && !is_crash(end->status)))
        return;
    point->signal = point->signal ?: end->status;
    if (point->signal == sweep->plain.signal && !is_hanging)
        return;
    run_symbolize(run);
    add_frames(&point->at, end->frames, end->frame_count);
}

/* Blocks that are reachable at the end are no leak: a program that ends at once keeps all it has. */
static void judge_leak(const struct sweep *sweep, struct sweep_point *point, struct loaded_run *run,
                       size_t number) {
    const struct report_stack *stack = &run->source.report->stacks[number];
    const uint64_t blocks = stack->counters.leaked_blocks, bytes = stack->counters.leaked_bytes;
    const struct sweep_point *plain = sweep_find(sweep, id_of(sweep, stack));
    struct sweep_point found = {.id = 0};
    if (!blocks || (plain && plain->leaked) || point->verdict >= SWEEP_HANG)
        return;
    run_symbolize(run);
    sweep_describe_point(&found, run, stack);
    const struct place line = {found.function, found.file, (uint32_t)found.line, 0};
    char *at = place_text(&line, stack->site->view.module, stack->site->view.address);
    sweep_texts_add(&point->details, memory_text("%" PRIu64 " bytes in %" PRIu64 " block%s: %s", bytes,
                                                 blocks, blocks == 1 ? "" : "s", at));
    free(at);
    sweep_point_free(&found);
    point->verdict = SWEEP_LEAK;
}

/* Returns whether the point failed in this process. */
static bool judge_profile(const struct sweep *sweep, struct sweep_point *point, const char *path,
                          bool is_hanging) {
    struct loaded_run run;
    struct reason why;
    bool has_failed = false;
    if (!run_open(&run, path, &why))
        return false;
    const struct report *report = run.source.report;
    for (size_t i = 0; i < report->stack_count; i++)
        has_failed |= report->stacks[i].counters.failed && id_of(sweep, &report->stacks[i]) == point->id;
    judge_faults(sweep, point, &run);
    judge_signal(sweep, point, &run, is_hanging);
    for (size_t i = 0; report->reach && i < report->stack_count; i++)
        judge_leak(sweep, point, &run, i);
    run_close(&run);
    return has_failed;
}

static enum sweep_verdict judge_end(const struct sweep *sweep, const struct sweep_point *point) {
    const struct sweep_point *plain = &sweep->plain;
    bool is_same_output = sweep->output_varies || point->output == plain->output;
    if (point->status != plain->status)
        return point->status ? SWEEP_CLEAN : SWEEP_DIFFERS;
    return is_same_output ? SWEEP_SAME : SWEEP_DIFFERS;
}

static void sweep_judge_profiles(const struct sweep *sweep, struct sweep_point *point, char **files,
                                 int count, bool is_hanging) {
    bool has_failed = false;
    point->verdict = is_hanging ? SWEEP_HANG : SWEEP_PENDING;
    point->signal = point->status >= 128 && is_crash(point->status - 128) ? point->status - 128 : 0;
    for (int i = 0; i < count; i++)
        has_failed |= judge_profile(sweep, point, files[i], is_hanging);
    if (!is_hanging && point->signal && point->signal != sweep->plain.signal && point->verdict < SWEEP_CRASH)
        point->verdict = SWEEP_CRASH;
    if (!has_failed)
        point->verdict = SWEEP_UNREACHED;
    else if (point->verdict == SWEEP_PENDING)
        point->verdict = judge_end(sweep, point);
}

void sweep_judge(const struct sweep *sweep, struct sweep_point *point, const char *directory,
                 bool is_hanging) {
    int count;
    char **files = folder_files(directory, &count);
    sweep_judge_profiles(sweep, point, files, count, is_hanging);
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
}

/* ---- Forked children. */

/* The point whose allocation failed in the child. A call that also fails in the plain run proves nothing. */
static const struct sweep_point *failed_point(const struct sweep *sweep, const struct report *report) {
    for (size_t i = 0; i < report->stack_count; i++) {
        const struct report_stack *stack = &report->stacks[i];
        const struct sweep_point *point =
            stack->counters.failed ? sweep_find(sweep, id_of(sweep, stack)) : NULL;
        if (point && !point->failed)
            return point;
    }
    return NULL;
}

static void take_output(struct sweep_point *result, uint64_t pid, const char *folder) {
    char *paths[2] = {memory_text("%s/.%" PRIu64 ".1", folder, pid),
                      memory_text("%s/.%" PRIu64 ".2", folder, pid)};
    char *last = NULL;
    uint64_t hash;
    sweep_read_output(paths[0], &result->output, &last);
    free(last);
    sweep_read_output(paths[1], &hash, &result->message);
    free(paths[0]);
    free(paths[1]);
}

bool sweep_judge_child(const struct sweep *sweep, struct sweep_point *result, const char *profile,
                       const char *folder, bool is_interrupted) {
    struct loaded_run run;
    struct reason why;
    char *path = (char *)(uintptr_t)profile;
    if (!run_open(&run, profile, &why))
        return false;
    const struct report *report = run.source.report;
    const struct report_run end = report->run;
    const struct sweep_point *point = report->forked ? failed_point(sweep, report) : NULL;
    bool is_killed = end.ending == PROFILE_SIGNAL && end.status == SIGKILL;
    uint64_t pid = report->pid;
    run_close(&run);
    if (!point || (is_killed && is_interrupted) || end.ending == PROFILE_NO_ENDING)
        return false;
    *result = *point;
    result->status = end.status + (end.ending == PROFILE_SIGNAL ? 128 : 0);
    take_output(result, pid, folder);
    sweep_judge_profiles(sweep, result, &path, 1, is_killed);
    if (end.ending == PROFILE_EXEC)
        result->verdict = SWEEP_DIFFERS; /* another profile has the end: is run again alone */
    return true;
}
