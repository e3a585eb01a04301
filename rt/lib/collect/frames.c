/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses of code in a report. */
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/collect/collect.h"
#include "lib/collect/rows.h"
#include "lib/store/store.h"
#include "lib/who/modules.h"
#include "lib/who/registry.h"
#include "names/names.h"

/* A module of which an address is to be shown. */
static void want_module(struct frames *frames, const struct rows *rows, uint32_t slot) {
    if (slot < rows->slots && !frames->numbers[slot] && record_at(slot))
        frames->numbers[slot] = (uint32_t)++frames->module_count;
}

/* Memory for this many frames is taken in the program's process, and their text is what others have to read:
 * 65,520 stacks of deep recursion, which share most of their frames, have 600 million. */
#define FRAMES_MOST ((size_t)1 << 23)

static void want_stack(struct frames *frames, const struct rows *rows, uint32_t slot) {
    size_t count = 0;
    const struct profile_step *step = names_step_at(record_stack(slot).stack);
    for (; step && count < frames->most; step = names_step_at(step->caller), count++)
        want_module(frames, rows, names_return_at(step->to)->module);
    frames->step_count += count;
    frames->cut_count += step != NULL;
}

static bool has_counted(const struct rows *rows, uint32_t slot) {
    return counters_have_come(&rows->sites[slot].counters);
}

/* Whether it is one of the stacks that the report has. */
static bool has_stack(const struct frames *frames, const struct rows *rows, uint32_t slot) {
    uint32_t parent = record_stack(slot).parent;
    return parent && frames->which != COLLECT_NO_STACKS &&
           (frames->main ? frames->main[parent] == slot : has_counted(rows, slot));
}

/* The first of equals, as report_prepare has it. */
static void find_main_stack(uint32_t *main, const struct rows *rows, uint32_t slot) {
    uint32_t parent = record_stack(slot).parent;
    if (!parent || !has_counted(rows, slot))
        return;
    uint32_t *found = &main[parent];
    if (!*found ||
        counters_bytes(&rows->sites[slot].counters) > counters_bytes(&rows->sites[*found].counters))
        *found = slot;
}

static bool find_main_stacks(struct frames *frames, const struct rows *rows) {
    frames->main = collect_take(rows->slots * sizeof *frames->main);
    for (uint32_t slot = 1; frames->main && slot < rows->slots; slot++)
        find_main_stack(frames->main, rows, slot);
    return frames->main;
}

static void count_stacks(struct frames *frames, const struct rows *rows) {
    for (uint32_t slot = 1; slot < rows->slots; slot++)
        frames->stack_count += has_stack(frames, rows, slot);
    frames->most = FRAMES_MOST / (frames->stack_count + !frames->stack_count);
}

static void want_slot(struct frames *frames, const struct rows *rows, uint32_t slot) {
    const struct record *record = record_at(slot);
    if (!record)
        return;
    if (record_stack(slot).parent) {
        if (has_stack(frames, rows, slot))
            want_stack(frames, rows, slot);
    } else if (record->what == PROFILE_CALLER || record->what == PROFILE_MODULE) {
        want_module(frames, rows, record->module->slot);
    }
}

static void open_modules(struct frames *frames, const struct rows *rows, bool is_end) {
    for (uint32_t slot = 1; slot < rows->slots; slot++) {
        const struct module *module = frames->numbers[slot] ? record_at(slot)->module : NULL;
        if (!module)
            continue;
        uint32_t number = frames->numbers[slot] - 1;
        frames->symbols[number].module = module;
        frames->modules[number] = (struct report_module){
            .path = module->path, .build_id = module->build_id[0] ? module->build_id : NULL};
    }
    symbols_find(frames->symbols, frames->module_count, is_end);
}

bool frames_open(struct frames *frames, const struct rows *rows, enum collect_stacks which, bool is_end) {
    *frames = (struct frames){.which = which};
    frames->numbers = collect_take(rows->slots * sizeof *frames->numbers);
    if (!frames->numbers || (which == COLLECT_MAIN_STACKS && !find_main_stacks(frames, rows)))
        return false;
    count_stacks(frames, rows);
    for (uint32_t slot = 1; slot < rows->slots; slot++)
        want_slot(frames, rows, slot);
    frames->symbols = collect_take(frames->module_count * sizeof *frames->symbols);
    frames->modules = collect_take(frames->module_count * sizeof *frames->modules);
    if (!frames->symbols || !frames->modules)
        return false;
    open_modules(frames, rows, is_end);
    return true;
}

const char *frames_function(const struct frames *frames, uint32_t module, uint64_t address) {
    uint32_t number = module == NO_SLOT ? 0 : frames->numbers[module];
    return number ? symbols_function(&frames->symbols[number - 1].symbols, address) : NULL;
}

static struct report_frame frame_of(const struct frames *frames, const struct profile_step *step) {
    const struct profile_return *to = names_return_at(step->to);
    uint64_t address = to->address[0] | (uint64_t)to->address[1] << 32;
    uint32_t number = frames->numbers[to->module];
    return (struct report_frame){.module = number ? &frames->modules[number - 1] : NULL,
                                 .address = address,
                                 .function = frames_function(frames, to->module, address)};
}

/* Returns how many frames it takes. */
static size_t enter_stack(const struct frames *frames, struct report *report, const struct rows *rows,
                          uint32_t slot, struct report_frame *to) {
    struct report_stack *stack = &report->stacks[report->stack_count++];
    *stack = (struct report_stack){
        .site = rows_of(rows, slot), .frames = to, .counters = rows->sites[slot].counters};
    const struct profile_step *step = names_step_at(record_stack(slot).stack);
    for (; step && stack->frame_count < frames->most; step = names_step_at(step->caller))
        to[stack->frame_count++] = frame_of(frames, step);
    return stack->frame_count;
}

bool frames_have_stack(const struct frames *frames, const struct rows *rows, uint32_t slot) {
    return has_stack(frames, rows, slot) && rows_of(rows, slot);
}

static void tell_cut(const struct frames *frames) {
    char count[UNITS_SIZE], most[UNITS_SIZE];
    if (!frames->cut_count)
        return;
    units_count(count, frames->cut_count);
    units_count(most, frames->most);
    os_say("the report has the innermost ", most, " frames of ", count, " stacks; a profile has all");
}

static bool enter_stacks(const struct frames *frames, struct report *report, const struct rows *rows) {
    struct report_frame *to = collect_take(frames->step_count * sizeof *to);
    report->stacks = collect_take(frames->stack_count * sizeof *report->stacks);
    for (uint32_t slot = 1; to && report->stacks && slot < rows->slots; slot++)
        if (frames_have_stack(frames, rows, slot))
            to += enter_stack(frames, report, rows, slot, to);
    tell_cut(frames);
    return to && report->stacks;
}

bool frames_enter(const struct frames *frames, struct report *report, const struct rows *rows) {
    report->modules = frames->modules;
    report->modules_size = frames->module_count;
    return frames->which == COLLECT_NO_STACKS || enter_stacks(frames, report, rows);
}
