/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges the data of processes: programs, accuracy, and inherited blocks. */
#include "dump/base/memory.h"

#include "dump/join/join.h"

#include <stdio.h>
#include <string.h>

static struct joined_reason *find_reason(struct joined *joined, const char *text) {
    for (size_t i = 0; i < joined->reason_count; i++)
        if (strcmp(joined->reasons[i].text, text) == 0)
            return &joined->reasons[i];
    return NULL;
}

static void add_reason(struct joined *joined, const char *text, uint64_t processes) {
    struct joined_reason *found = find_reason(joined, text);
    if (!found && joined->reason_count >= JOINED_REASONS_MAX - 1) {
        text = "more reasons than can be listed";
        found = find_reason(joined, text);
    }
    if (!found) {
        memory_grow(&joined->reasons, joined->reason_count, &joined->reason_capacity,
                    sizeof *joined->reasons);
        found = &joined->reasons[joined->reason_count++];
        *found = (struct joined_reason){string_keep(&joined->strings, text), 0};
    }
    joined_add_to(joined, &found->processes, processes);
}

static void add_text(struct joined *joined, const char *text, const char ***list, size_t *count,
                     size_t *capacity) {
    text = string_keep(&joined->strings, text);
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == text)
            return;
    memory_grow(list, *count, capacity, sizeof **list);
    (*list)[(*count)++] = text;
}

static void add_program(struct joined *joined, const char *program) {
    add_text(joined, program, &joined->programs, &joined->program_count, &joined->program_capacity);
}

void joined_add_processes(struct joined *joined, const struct report *report) {
    const struct report_processes *several = &report->several;
    for (size_t i = 0; i < report->reason_count; i++)
        add_reason(joined, report->reasons[i], report_reason_part(report, i) ?: several->count ?: 1);
    for (size_t i = 0; i < several->program_count; i++)
        add_program(joined, several->programs[i]);
    if (!several->program_count)
        add_program(joined, report->program);
    for (size_t i = 0; i < report->walked_for_count; i++)
        add_text(joined, report->walked_for[i], &joined->walked_for, &joined->walked_for_count,
                 &joined->walked_for_capacity);
    joined_add_to(joined, &joined->processes, several->count ?: 1);
    joined_add_to(joined, &joined->unfinished, several->count ? several->unfinished : !report->finished);
    joined_add_to(joined, &joined->killed,
                  several->count ? several->killed : report->run.ending == PROFILE_SIGNAL);
    joined_add_to(joined, &joined->forked, several->count ? several->forked : report->forked);
    joined_add_to(joined, &joined->untouched.blocks, several->untouched_blocks);
    joined_add_to(joined, &joined->untouched.bytes, several->untouched_bytes);
    joined->pid = report->pid;
    joined->run = report->run;
    joined->run.command = string_keep(&joined->strings, report->run.command);
}

static void list_reasons(struct joined *joined) {
    size_t count = joined->reason_count;
    joined->reason_texts = memory_zeros(count, sizeof *joined->reason_texts);
    joined->reasons_hold = memory_zeros(count, sizeof *joined->reasons_hold);
    for (size_t i = 0; i < count; i++) {
        joined->reason_texts[i] = joined->reasons[i].text;
        joined->reasons_hold[i] = joined->reasons[i].processes;
    }
    joined->report.reasons = joined->reason_texts;
    joined->report.reason_count = count;
}

static void set_processes(struct joined *joined) {
    struct report *report = &joined->report;
    report->finished = !joined->unfinished;
    report->program = joined->program_count == 1 ? joined->programs[0] : joined->program;
    snprintf(joined->program, sizeof joined->program, "%zu programs", joined->program_count);
    if (joined->processes == 1) {
        report->pid = joined->pid;
        report->forked = joined->forked;
        report->run = joined->run;
        return;
    }
    report->several = (struct report_processes){
        .count = joined->processes,
        .unfinished = joined->unfinished,
        .killed = joined->killed,
        .forked = joined->forked,
        .untouched_blocks = joined->untouched.blocks,
        .untouched_bytes = joined->untouched.bytes,
        .reasons_hold = joined->reasons_hold,
    };
    if (joined->program_count == 1)
        return;
    report->several.programs = joined->programs;
    report->several.program_count = joined->program_count;
}

void joined_list_processes(struct joined *joined) {
    if (joined->overflow)
        add_reason(joined, "some sums exceed 64 bits", joined->processes);
    list_reasons(joined);
    set_processes(joined);
    joined->report.walked_for = joined->walked_for;
    joined->report.walked_for_count = joined->walked_for_count;
}

/* ---- Counters. */

void joined_add_to(struct joined *joined, uint64_t *sum, uint64_t part) {
    if (__builtin_add_overflow(*sum, part, sum)) {
        *sum = UINT64_MAX;
        joined->overflow = true;
    }
}

/* As for a site that occurs twice in a report: the maximum of the sum is between the larger maximum and the
 * sum of both. */
static void join_maxima(struct joined *joined, struct counters *sum, const struct counters *part) {
    uint64_t bound = sum->max_live_blocks;
    joined_add_to(joined, &bound, sum->max_live_blocks_within);
    joined_add_to(joined, &bound, part->max_live_blocks);
    joined_add_to(joined, &bound, part->max_live_blocks_within);
    if (part->max_live_blocks > sum->max_live_blocks)
        sum->max_live_blocks = part->max_live_blocks;
    sum->max_live_blocks_within = bound - sum->max_live_blocks;
}

/* Shares of a superseded peak remain in the sums until the end, where they are dropped. */
static void add_peak(struct joined *joined, struct counters *sum, uint64_t *peak_of,
                     const struct counters *part) {
    if (joined->peak_of != joined->reports)
        return;
    if (*peak_of != joined->reports)
        sum->peak_bytes = sum->peak_blocks = 0;
    *peak_of = joined->reports;
    joined_add_to(joined, &sum->peak_bytes, part->peak_bytes);
    joined_add_to(joined, &sum->peak_blocks, part->peak_blocks);
}

void joined_add_counters(struct joined *joined, struct counters *sum, uint64_t *peak_of,
                         const struct counters *part) {
    uint64_t peak_bytes = sum->peak_bytes, peak_blocks = sum->peak_blocks;
#define ADD(name) joined_add_to(joined, &sum->name, part->name);
    ALLOCSITE_COUNTED(ADD)
#undef ADD
    sum->peak_bytes = peak_bytes;
    sum->peak_blocks = peak_blocks;
    join_maxima(joined, sum, part);
    add_peak(joined, sum, peak_of, part);
}

/* ---- Forked children. A block counts once, in the process that allocated it. */

static uint64_t smaller_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Estimates the untouched blocks. A child that allocated and freed at the same site may have freed its own
 * blocks first. If the estimate would leave bytes but no blocks freed, or bytes but no blocks allocated by
 * the child, one block was replaced by another. */
static struct joined_untouched untouched_blocks(const struct counters *of) {
    struct joined_untouched part = {.blocks = smaller_of(of->inherited_blocks, of->live_blocks),
                                    .bytes = smaller_of(of->inherited_bytes, of->live_bytes)};
    bool was_replaced = (part.blocks == of->inherited_blocks && part.bytes < of->inherited_bytes) ||
                        (part.blocks == of->live_blocks && part.bytes < of->live_bytes);
    if (was_replaced && part.blocks && --part.blocks == 0)
        part.bytes = 0;
    return part;
}

/* Attributes leaked and possibly leaked blocks to the child first, up to the number of live blocks that it
 * allocated itself. */
static struct joined_untouched untouched_of(const struct counters *of) {
    struct joined_untouched part = untouched_blocks(of);
    uint64_t own_blocks = of->live_blocks - part.blocks, own_bytes = of->live_bytes - part.bytes;
    uint64_t blocks = smaller_of(of->leaked_blocks, own_blocks);
    uint64_t bytes = blocks ? smaller_of(of->leaked_bytes, own_bytes) : 0;
    uint64_t possibly = smaller_of(of->possibly_leaked_blocks, own_blocks - blocks);
    part.leaked_blocks = of->leaked_blocks - blocks;
    part.leaked_bytes = of->leaked_bytes - bytes;
    part.possibly_leaked_blocks = of->possibly_leaked_blocks - possibly;
    part.possibly_leaked_bytes =
        of->possibly_leaked_bytes - (possibly ? smaller_of(of->possibly_leaked_bytes, own_bytes - bytes) : 0);
    return part;
}

static void add_untouched(struct joined *joined, struct joined_untouched *sum,
                          const struct joined_untouched *part) {
#define ADD(name) joined_add_to(joined, &sum->name, part->name);
    ADD(blocks)
    ADD(bytes)
    ALLOCSITE_LEAKED(ADD)
#undef ADD
}

void joined_add_untouched_stack(struct joined *joined, const struct report_stack *stack,
                                struct joined_untouched *untouched) {
    struct joined_untouched part = untouched_of(&stack->counters);
    struct counters *remaining = &stack->site->counters;
    add_untouched(joined, untouched, &part);
    add_untouched(joined, &((struct joined_row *)stack->site->merged)->untouched, &part);
#define TAKE_OFF(name) remaining->name -= smaller_of(remaining->name, stack->counters.name);
    TAKE_OFF(inherited_blocks)
    TAKE_OFF(inherited_bytes)
    TAKE_OFF(live_blocks)
    TAKE_OFF(live_bytes)
    ALLOCSITE_LEAKED(TAKE_OFF)
#undef TAKE_OFF
}

void joined_add_untouched(struct joined *joined, const struct counters *of,
                          struct joined_untouched *untouched) {
    struct joined_untouched part = untouched_of(of);
    add_untouched(joined, untouched, &part);
}

static void take_off(struct counters *of, const struct joined_untouched *part) {
    uint64_t blocks = smaller_of(part->blocks, smaller_of(of->inherited_blocks, of->live_blocks));
    uint64_t bytes = smaller_of(part->bytes, smaller_of(of->inherited_bytes, of->live_bytes));
    of->inherited_blocks -= blocks;
    of->inherited_bytes -= bytes;
    of->live_blocks -= blocks;
    of->live_bytes -= bytes;
#define TAKE_OFF(name) of->name -= part->name;
    ALLOCSITE_LEAKED(TAKE_OFF)
#undef TAKE_OFF
}

void joined_take_untouched(struct joined *joined) {
    if (joined->processes == 1)
        return;
    for (size_t i = 0; i < joined->row_count; i++) {
        struct joined_row *row = joined->rows[i];
        take_off(&row->row.counters, &row->untouched);
        if (!row->row.view.outside_totals)
            add_untouched(joined, &joined->untouched, &row->untouched);
    }
    for (size_t i = 0; i < joined->stack_count; i++)
        take_off(&joined->stacks[i]->stack.counters, &joined->stacks[i]->untouched);
    take_off(&joined->report.custom, &joined->custom_untouched);
}
