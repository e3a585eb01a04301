/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What came in the phases of many reports, and what threads counted in them. */
#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/join/counters.h"

#include <stdlib.h>

/* Names are in the pool, once each. */
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
    size_t found = hash_find(&joined->phase_index, hash, is_phase, &key, joined);
    if (found == HASH_NONE) {
        found = joined->phase_count++;
        memory_grow(&joined->phases, found, &joined->phase_room, sizeof *joined->phases);
        hash_put(&joined->phase_index, hash, found);
        joined->phases[found] = key;
    }
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
    size_t found = hash_find(&joined->part_index, hash, is_part, &key, joined);
    if (found != HASH_NONE) {
        counters_add(&joined->parts[found].counters, &part->counters);
        return;
    }
    memory_grow(&joined->parts, joined->part_count, &joined->part_room, sizeof *joined->parts);
    hash_put(&joined->part_index, hash, joined->part_count);
    joined->parts[joined->part_count++] = key;
}

void joined_add_phases(struct joined *joined, const struct report *report) {
    for (size_t i = 0; i < report->phase_count; i++)
        add_phase(joined, &report->phases[i]);
    joined->without_parts += !report->has_parts;
    for (size_t i = 0; i < report->part_count; i++)
        add_part(joined, &report->parts[i]);
    counters_add(&joined->report.before_reset, &report->before_reset);
}

void joined_list_phases(struct joined *joined) {
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

void joined_free_phases(struct joined *joined) {
    free(joined->phases);
    free(joined->parts);
    free(joined->report.phases);
    hash_free(&joined->phase_index);
    hash_free(&joined->part_index);
}
