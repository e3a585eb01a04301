/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes of many reports: their programs, and why their numbers are not exact. */
#include "base/grow.h"
#include "dump/join/counters.h"

#include <stdio.h>
#include <string.h>

static struct joined_reason *find_reason(struct joined *joined, const char *text) {
    for (size_t i = 0; i < joined->reason_count; i++)
        if (strcmp(joined->reasons[i].text, text) == 0)
            return &joined->reasons[i];
    return NULL;
}

static bool add_reason(struct joined *joined, const char *text, uint64_t processes) {
    struct joined_reason *found = find_reason(joined, text);
    if (!found && joined->reason_count >= JOINED_REASONS_MAX - 1) {
        text = "more reasons than can be listed";
        found = find_reason(joined, text);
    }
    if (!found) {
        if (!string_pool_keep(&joined->strings, &text) ||
            !grow(&joined->reasons, joined->reason_count, &joined->reason_room, sizeof *joined->reasons))
            return false;
        found = &joined->reasons[joined->reason_count++];
        *found = (struct joined_reason){text, 0};
    }
    joined_add_to(joined, &found->processes, processes);
    return true;
}

static bool add_reasons(struct joined *joined, const struct report *report) {
    for (size_t i = 0; i < report->reason_count; i++) {
        uint64_t part = report_reason_part(report, i),
                 all = report->several.count ? report->several.count : 1;
        if (!add_reason(joined, report->reasons[i], part ? part : all))
            return false;
    }
    return true;
}

static bool add_program(struct joined *joined, const char *program) {
    if (!string_pool_keep(&joined->strings, &program))
        return false;
    for (size_t i = 0; i < joined->program_count; i++)
        if (joined->programs[i] == program)
            return true;
    if (!grow(&joined->programs, joined->program_count, &joined->program_room, sizeof *joined->programs))
        return false;
    joined->programs[joined->program_count++] = program;
    return true;
}

static bool add_programs(struct joined *joined, const struct report *report) {
    for (size_t i = 0; i < report->several.program_count; i++)
        if (!add_program(joined, report->several.programs[i]))
            return false;
    return report->several.program_count || add_program(joined, report->program);
}

static void add_processes(struct joined *joined, const struct report *report) {
    bool is_one = !report->several.count;
    joined_add_to(joined, &joined->processes, is_one ? 1 : report->several.count);
    joined_add_to(joined, &joined->unfinished, is_one ? !report->finished : report->several.unfinished);
    joined_add_to(joined, &joined->forked, is_one ? report->forked : report->several.forked);
    joined_add_to(joined, &joined->untouched.blocks, report->several.untouched_blocks);
    joined_add_to(joined, &joined->untouched.bytes, report->several.untouched_bytes);
    joined->pid = report->pid;
}

bool joined_add_processes(struct joined *joined, const struct report *report) {
    if (!add_reasons(joined, report) || !add_programs(joined, report))
        return false;
    add_processes(joined, report);
    return true;
}

static bool list_reasons(struct joined *joined) {
    size_t count = joined->reason_count;
    joined->reason_texts = calloc(count + 1, sizeof *joined->reason_texts);
    joined->reasons_hold = calloc(count + 1, sizeof *joined->reasons_hold);
    if (!joined->reason_texts || !joined->reasons_hold)
        return false;
    for (size_t i = 0; i < count; i++) {
        joined->reason_texts[i] = joined->reasons[i].text;
        joined->reasons_hold[i] = joined->reasons[i].processes;
    }
    joined->report.reasons = joined->reason_texts;
    joined->report.reason_count = count;
    return true;
}

static void set_processes(struct joined *joined) {
    struct report *report = &joined->report;
    report->finished = !joined->unfinished;
    report->program = joined->program_count == 1 ? joined->programs[0] : joined->program;
    snprintf(joined->program, sizeof joined->program, "%zu programs", joined->program_count);
    if (joined->processes == 1) {
        report->pid = joined->pid;
        report->forked = joined->forked;
        return;
    }
    report->several = (struct report_processes){
        .count = joined->processes,
        .unfinished = joined->unfinished,
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

bool joined_list_processes(struct joined *joined) {
    if (joined->overflow && !add_reason(joined, "some sums are too large to be counted", joined->processes))
        return false;
    if (!list_reasons(joined))
        return false;
    set_processes(joined);
    return true;
}

/* ---- How counters of many reports are joined. */

void joined_add_to(struct joined *joined, uint64_t *sum, uint64_t part) {
    if (__builtin_add_overflow(*sum, part, sum)) {
        *sum = UINT64_MAX;
        joined->overflow = true;
    }
}

/* As in a report that has a site twice: the maximum of the sum lies between the larger one and both. */
static void join_maxima(struct joined *joined, struct counters *sum, const struct counters *part) {
    uint64_t bound = sum->max_live_blocks;
    joined_add_to(joined, &bound, sum->max_live_blocks_within);
    joined_add_to(joined, &bound, part->max_live_blocks);
    joined_add_to(joined, &bound, part->max_live_blocks_within);
    if (part->max_live_blocks > sum->max_live_blocks)
        sum->max_live_blocks = part->max_live_blocks;
    sum->max_live_blocks_within = bound - sum->max_live_blocks;
}

/* Shares of a peak that is not the largest any more are left where they are, and dropped at the end. */
static void add_peak(struct joined *joined, struct joined_sum *sum, const struct counters *part) {
    if (joined->peak_of != joined->reports)
        return;
    if (sum->peak_of != joined->reports)
        sum->counters->peak_bytes = sum->counters->peak_blocks = 0;
    sum->peak_of = joined->reports;
    joined_add_to(joined, &sum->counters->peak_bytes, part->peak_bytes);
    joined_add_to(joined, &sum->counters->peak_blocks, part->peak_blocks);
}

void joined_add_counters(struct joined *joined, struct joined_sum *sum, const struct counters *part) {
    struct counters *counters = sum->counters;
    uint64_t peak_bytes = counters->peak_bytes, peak_blocks = counters->peak_blocks;
#define ADD(name) joined_add_to(joined, &counters->name, part->name);
    ALLOCSITE_TOTALS(ADD)
#undef ADD
    counters->peak_bytes = peak_bytes;
    counters->peak_blocks = peak_blocks;
    join_maxima(joined, counters, part);
    add_peak(joined, sum, part);
}
