/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges calling frames and phases. */
#include "base/arrays.h"

#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/join/join.h"

#include <stdlib.h>

static uint64_t hash_module(const struct report_module *module) {
    return hash_text(hash_text(0, module->path), module->build_id);
}

static bool is_module(const void *key, const void *context, size_t element) {
    const struct joined *joined = context;
    const struct report_module *a = key, *b = joined->modules[element];
    return is_same_text(a->path, b->path) && is_same_text(a->build_id, b->build_id);
}

static const struct report_module *module_for(struct joined *joined, const struct report_module *module) {
    uint64_t hash = hash_module(module);
    size_t found = hash_find(&joined->module_index, hash, is_module, module, joined);
    if (found != HASH_NONE)
        return joined->modules[found];
    struct report_module *kept = memory_zeros(1, sizeof *kept);
    kept->path = string_keep(&joined->strings, module->path);
    kept->build_id = string_keep(&joined->strings, module->build_id);
    memory_grow(&joined->modules, joined->module_count, &joined->module_capacity, sizeof *joined->modules);
    hash_put(&joined->module_index, hash, joined->module_count);
    return joined->modules[joined->module_count++] = kept;
}

/* Copies the frames. The copies refer to the merged report's modules. */
static struct report_frame *keep_frames(struct joined *joined, const struct report_stack *stack) {
    struct report_frame *frames = memory_zeros(stack->frame_count, sizeof *frames);
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct report_frame *from = &stack->frames[i];
        frames[i] = (struct report_frame){.address = from->address, .line = from->line};
        frames[i].module = from->module ? module_for(joined, from->module) : NULL;
        frames[i].function = string_keep(&joined->strings, from->function);
        frames[i].file = string_keep(&joined->strings, from->file);
    }
    return frames;
}

static uint64_t hash_stack(const struct report_stack *stack) {
    uint64_t hash = hash_number((uintptr_t)stack->site, stack->origin ? stack->origin->id : 0);
    for (size_t i = 0; i < stack->frame_count; i++)
        hash = hash_number(hash_number(hash, (uintptr_t)stack->frames[i].module), stack->frames[i].address);
    return hash;
}

static bool is_origin(const struct site_view *a, const struct site_view *b) {
    if (!a || !b)
        return a == b;
    return order_identity(&(struct report_site){.view = *a}, &(struct report_site){.view = *b}) == 0;
}

static bool is_stack(const void *key, const void *context, size_t element) {
    const struct joined *joined = context;
    const struct report_stack *a = key, *b = &joined->stacks[element]->stack;
    if (a->site != b->site || a->frame_count != b->frame_count || !is_origin(a->origin, b->origin))
        return false;
    for (size_t i = 0; i < a->frame_count; i++)
        if (a->frames[i].module != b->frames[i].module || a->frames[i].address != b->frames[i].address)
            return false;
    return true;
}

static void keep_origin(struct joined *joined, struct joined_stack *stack) {
    if (stack->stack.origin) {
        stack->places = site_keep(&stack->origin, stack->stack.origin, &joined->strings);
        stack->stack.origin = &stack->origin;
    }
    for (size_t i = 0; i < stack->stack.caller_count; i++) {
        const struct place *caller = &stack->stack.callers[i];
        stack->callers[i] =
            (struct place){string_keep(&joined->strings, caller->function),
                           string_keep(&joined->strings, caller->file), caller->line, caller->column};
    }
    stack->stack.callers = stack->callers;
}

/* Takes ownership of the frames. */
static size_t new_stack(struct joined *joined, const struct report_stack *key, uint64_t hash) {
    struct joined_stack *stack = memory_zeros(1, sizeof *stack);
    stack->stack = *key;
    keep_origin(joined, stack);
    memory_grow(&joined->stacks, joined->stack_count, &joined->stack_capacity, sizeof *joined->stacks);
    hash_put(&joined->stack_index, hash, joined->stack_count);
    joined->stacks[joined->stack_count] = stack;
    return joined->stack_count++;
}

size_t joined_stack_number(struct joined *joined, const struct report_stack *stack) {
    struct report_stack key = {.site = stack->site->merged,
                               .frames = keep_frames(joined, stack),
                               .frame_count = stack->frame_count,
                               .origin = stack->origin,
                               .callers = stack->callers,
                               .caller_count = stack->caller_count};
    uint64_t hash = hash_stack(&key);
    size_t found = hash_find(&joined->stack_index, hash, is_stack, &key, joined);
    if (found == HASH_NONE)
        return new_stack(joined, &key, hash);
    free(key.frames);
    return found;
}

static void add_stack(struct joined *joined, const struct report_stack *part, bool is_forked) {
    size_t number = joined_stack_number(joined, part);
    struct joined_stack *stack = joined->stacks[number];
    joined_add_counters(joined, &stack->stack.counters, &stack->peak_of, &part->counters);
    if (is_forked)
        joined_add_untouched_stack(joined, part, &stack->untouched);
}

static void add_walks(struct joined *joined, const struct profile_walks *part) {
    struct profile_walks *walks = &joined->report.walks;
    if (part->depth > walks->depth)
        walks->depth = part->depth;
    joined_add_to(joined, &walks->ended_early, part->ended_early);
    joined_add_to(joined, &walks->without_stack, part->without_stack);
    joined_add_to(joined, &walks->without_caller, part->without_caller);
}

/* Some reports do not list their modules, so rows add theirs. */
static void add_module_of(struct joined *joined, const struct site_view *view) {
    if (module_is_file(view->module))
        module_for(joined, &(struct report_module){view->module, view->build_id});
}

static void list_modules(struct joined *joined) {
    struct report_module *list = memory_zeros(joined->module_count, sizeof *list);
    for (size_t i = 0; i < joined->module_count; i++)
        list[i] = *joined->modules[i];
    modules_sort(list, joined->module_count);
    joined->report.modules = joined->module_list = list;
    joined->report.modules_size = joined->module_count;
}

/* ---- Phases and threads. */

/* Names are interned, so pointers are hashed. */
static uint64_t hash_phase(const struct joined_phase *phase) {
    uint64_t hash = hash_number((uintptr_t)phase->phase.site, (uintptr_t)phase->phase.phase);
    return hash_number(hash, phase->stack);
}

static bool is_phase(const void *key, const void *context, size_t element) {
    const struct joined_phase *a = key, *b = &((const struct joined *)context)->phases[element];
    return a->phase.site == b->phase.site && a->phase.phase == b->phase.phase && a->stack == b->stack;
}

static void add_phase(struct joined *joined, const struct report_phase *part) {
    struct joined_phase key = {
        .phase = {.site = part->site->merged, .phase = string_keep(&joined->strings, part->phase)},
        .stack = part->stack ? joined_stack_number(joined, part->stack) : SIZE_MAX};
    uint64_t hash = hash_phase(&key);
    struct elements phases = {&joined->phases, &joined->phase_count, &joined->phase_capacity, sizeof key};
    size_t found = hash_keep(&joined->phase_index, hash, is_phase, &key, joined, phases);
    joined_add_to(joined, &joined->phases[found].phase.calls, part->calls);
    joined_add_to(joined, &joined->phases[found].phase.bytes, part->bytes);
}

static uint64_t hash_part(const struct report_part *part) {
    uint64_t hash = hash_number(part->pid, part->thread);
    return hash_number(hash_number(hash, (uintptr_t)part->phase), part->is_known);
}

static bool is_part(const void *key, const void *context, size_t element) {
    const struct report_part *a = key, *b = &((const struct joined *)context)->parts[element];
    return a->pid == b->pid && a->thread == b->thread && a->phase == b->phase && a->is_known == b->is_known;
}

static void add_part(struct joined *joined, const struct report_part *part) {
    struct report_part key = *part;
    key.phase = string_keep(&joined->strings, part->phase);
    uint64_t hash = hash_part(&key);
    struct elements parts = {&joined->parts, &joined->part_count, &joined->part_capacity, sizeof key};
    size_t before = joined->part_count,
           found = hash_keep(&joined->part_index, hash, is_part, &key, joined, parts);
    if (found >= before)
        return;
    counters_add(&joined->parts[found].counters, &part->counters);
    report_peak_join(&joined->parts[found].peak, &part->peak);
    report_peak_join(&joined->parts[found].thread_peak, &part->thread_peak);
}

static void add_phases(struct joined *joined, const struct report *report) {
    for (size_t i = 0; i < report->phase_count; i++)
        add_phase(joined, &report->phases[i]);
    joined->without_parts += !report->has_parts;
    for (size_t i = 0; i < report->part_count; i++)
        add_part(joined, &report->parts[i]);
    counters_add(&joined->report.before_reset, &report->before_reset);
}

static void list_phases(struct joined *joined) {
    struct report *report = &joined->report;
    report->phases = memory_zeros(joined->phase_count, sizeof *report->phases);
    for (size_t i = 0; i < joined->phase_count; i++) {
        const struct joined_phase *phase = &joined->phases[i];
        report->phases[i] = phase->phase;
        report->phases[i].stack = phase->stack == SIZE_MAX ? NULL : &report->stacks[phase->stack];
    }
    report->phase_count = joined->phase_count;
    report->has_parts = !joined->without_parts;
    report->parts = joined->parts;
    report->part_count = report->has_parts ? joined->part_count : 0;
}

static void free_phases(struct joined *joined) {
    free(joined->phases);
    free(joined->parts);
    free(joined->report.phases);
    hash_free(&joined->phase_index);
    hash_free(&joined->part_index);
}

/* ---- The interface. */

void joined_add_stacks(struct joined *joined, const struct report *report) {
    add_walks(joined, &report->walks);
    joined_add_to(joined, &joined->report.wrong_contexts, report->wrong_contexts);
    for (size_t i = 0; i < report->modules_size; i++)
        module_for(joined, &report->modules[i]);
    for (size_t i = 0; i < report->site_count; i++)
        add_module_of(joined, &report->sites[i]->view);
    for (size_t i = 0; i < report->stack_count; i++)
        add_stack(joined, &report->stacks[i], report->forked);
    add_phases(joined, report);
}

void joined_list_stacks(struct joined *joined) {
    struct report *report = &joined->report;
    report->stacks = memory_zeros(joined->stack_count, sizeof *report->stacks);
    report->callers = memory_zeros(joined->stack_count, sizeof *report->callers);
    for (size_t i = 0; i < joined->stack_count; i++) {
        struct joined_stack *stack = joined->stacks[i];
        if (stack->peak_of != joined->peak_of)
            stack->stack.counters.peak_bytes = stack->stack.counters.peak_blocks = 0;
        report->stacks[report->stack_count++] = stack->stack;
    }
    list_modules(joined);
    list_phases(joined);
}

void joined_free_stacks(struct joined *joined) {
    for (size_t i = 0; i < joined->stack_count; i++) {
        free(joined->stacks[i]->stack.frames);
        free(joined->stacks[i]->places);
        free(joined->stacks[i]);
    }
    for (size_t i = 0; i < joined->module_count; i++)
        free(joined->modules[i]);
    free(joined->stacks);
    free(joined->modules);
    free(joined->module_list);
    free(joined->report.stacks);
    free(joined->report.callers);
    hash_free(&joined->module_index);
    hash_free(&joined->stack_index);
    free_phases(joined);
}
