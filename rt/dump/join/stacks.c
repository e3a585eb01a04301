/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling frames of many reports as those of one. */
#include "base/grow.h"
#include "dump/base/modules.h"
#include "dump/join/counters.h"

#include <string.h>

static uint64_t hash_module(const struct report_module *module) {
    return hash_text(hash_text(0, module->path), module->build_id);
}

static bool is_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_module(const void *key, const void *context, size_t element) {
    const struct joined *joined = context;
    const struct report_module *a = key, *b = joined->modules[element];
    return is_text(a->path, b->path) && is_text(a->build_id, b->build_id);
}

/* NULL: out of memory. */
static const struct report_module *module_for(struct joined *joined, const struct report_module *module) {
    uint64_t hash = hash_module(module);
    size_t found = hash_find(&joined->module_index, hash, is_module, module, joined);
    if (found != HASH_NONE)
        return joined->modules[found];
    struct report_module *kept = malloc(sizeof *kept);
    if (!kept ||
        !grow(&joined->modules, joined->module_count, &joined->module_room, sizeof *joined->modules)) {
        free(kept);
        return NULL;
    }
    *kept = *module;
    joined->modules[joined->module_count++] = kept;
    return string_pool_keep(&joined->strings, &kept->path) &&
                   string_pool_keep(&joined->strings, &kept->build_id) &&
                   hash_add(&joined->module_index, hash, joined->module_count - 1)
               ? kept
               : NULL;
}

/* The copy of the frames, with modules that are the joined report's. NULL: out of memory. */
static struct report_frame *keep_frames(struct joined *joined, const struct report_stack *stack) {
    struct report_frame *frames = calloc(stack->frame_count + 1, sizeof *frames);
    for (size_t i = 0; frames && i < stack->frame_count; i++) {
        frames[i] = stack->frames[i];
        if ((frames[i].module && !(frames[i].module = module_for(joined, frames[i].module))) ||
            !string_pool_keep(&joined->strings, &frames[i].function)) {
            free(frames);
            return NULL;
        }
    }
    return frames;
}

static uint64_t hash_stack(const struct report_stack *stack) {
    uint64_t hash = hash_number(0, (uintptr_t)stack->site);
    for (size_t i = 0; i < stack->frame_count; i++)
        hash = hash_number(hash_number(hash, (uintptr_t)stack->frames[i].module), stack->frames[i].address);
    return hash;
}

static bool is_stack(const void *key, const void *context, size_t element) {
    const struct joined *joined = context;
    const struct report_stack *a = key, *b = &joined->stacks[element]->stack;
    if (a->site != b->site || a->frame_count != b->frame_count)
        return false;
    for (size_t i = 0; i < a->frame_count; i++)
        if (a->frames[i].module != b->frames[i].module || a->frames[i].address != b->frames[i].address)
            return false;
    return true;
}

/* Takes over the frames, whatever comes of it. */
static struct joined_stack *new_stack(struct joined *joined, const struct report_stack *key, uint64_t hash) {
    struct joined_stack *stack = calloc(1, sizeof *stack);
    if (!stack || !grow(&joined->stacks, joined->stack_count, &joined->stack_room, sizeof *joined->stacks)) {
        free(stack);
        free(key->frames);
        return NULL;
    }
    stack->stack = *key;
    joined->stacks[joined->stack_count++] = stack;
    return hash_add(&joined->stack_index, hash, joined->stack_count - 1) ? stack : NULL;
}

static struct joined_stack *stack_for(struct joined *joined, const struct report_stack *stack) {
    struct report_stack key = {
        .site = stack->site->merged, .frames = keep_frames(joined, stack), .frame_count = stack->frame_count};
    if (!key.frames)
        return NULL;
    uint64_t hash = hash_stack(&key);
    size_t found = hash_find(&joined->stack_index, hash, is_stack, &key, joined);
    if (found == HASH_NONE)
        return new_stack(joined, &key, hash);
    free(key.frames);
    return joined->stacks[found];
}

static bool add_stack(struct joined *joined, const struct report_stack *part, bool is_forked) {
    struct joined_stack *stack = stack_for(joined, part);
    if (!stack)
        return false;
    struct joined_sum sum = {&stack->stack.counters, stack->peak_of};
    joined_add_counters(joined, &sum, &part->counters);
    stack->peak_of = sum.peak_of;
    if (is_forked)
        joined_add_untouched_stack(joined, part, &stack->untouched);
    return true;
}

static void add_walks(struct joined *joined, const struct profile_walks *part) {
    struct profile_walks *walks = &joined->report.walks;
    if (part->depth > walks->depth)
        walks->depth = part->depth;
    joined_add_to(joined, &walks->by_frame_pointer, part->by_frame_pointer);
    joined_add_to(joined, &walks->by_table, part->by_table);
    joined_add_to(joined, &walks->ended_early, part->ended_early);
    joined_add_to(joined, &walks->without_stack, part->without_stack);
    joined_add_to(joined, &walks->without_caller, part->without_caller);
}

/* Reports of old do not list their modules. */
static bool add_module_of(struct joined *joined, const struct site_view *view) {
    struct report_module module = {view->module, view->build_id};
    return !module_is_file(view->module) || module_for(joined, &module);
}

bool joined_add_stacks(struct joined *joined, const struct report *report) {
    add_walks(joined, &report->walks);
    for (size_t i = 0; i < report->modules_size; i++)
        if (!module_for(joined, &report->modules[i]))
            return false;
    for (size_t i = 0; i < report->site_count; i++)
        if (!add_module_of(joined, &report->sites[i]->view))
            return false;
    for (size_t i = 0; i < report->stack_count; i++)
        if (!add_stack(joined, &report->stacks[i], report->forked))
            return false;
    return true;
}

static bool list_modules(struct joined *joined) {
    struct report_module *list = calloc(joined->module_count + 1, sizeof *list);
    for (size_t i = 0; list && i < joined->module_count; i++)
        list[i] = *joined->modules[i];
    if (list)
        modules_sort(list, joined->module_count);
    joined->module_list = list;
    joined->report.modules = list;
    joined->report.modules_size = list ? joined->module_count : 0;
    return list;
}

bool joined_list_stacks(struct joined *joined) {
    struct report *report = &joined->report;
    report->stacks = calloc(joined->stack_count + 1, sizeof *report->stacks);
    for (size_t i = 0; report->stacks && i < joined->stack_count; i++) {
        struct joined_stack *stack = joined->stacks[i];
        if (stack->peak_of != joined->peak_of)
            stack->stack.counters.peak_bytes = stack->stack.counters.peak_blocks = 0;
        report->stacks[report->stack_count++] = stack->stack;
    }
    return report->stacks && list_modules(joined);
}

void joined_free_stacks(struct joined *joined) {
    for (size_t i = 0; i < joined->stack_count; i++) {
        free(joined->stacks[i]->stack.frames);
        free(joined->stacks[i]);
    }
    for (size_t i = 0; i < joined->module_count; i++)
        free(joined->modules[i]);
    free(joined->stacks);
    free(joined->modules);
    free(joined->module_list);
    free(joined->report.stacks);
    hash_free(&joined->module_index);
    hash_free(&joined->stack_index);
}
