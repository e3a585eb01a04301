/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Orders a report's sites, pairs and phases. */
#include "model/report.h"

#include "base/arrays.h"

#include <string.h>

static int compare_place(const struct place *a, const struct place *b) {
    return compare_text(a->file, b->file)
               ?: compare_u64(a->line, b->line)
               ?: compare_u64(a->column, b->column) ?: compare_text(a->function, b->function);
}

static int compare_frames(const struct report_frame *a, const struct report_frame *b) {
    return compare_text(a->module ? a->module->path : NULL, b->module ? b->module->path : NULL)
               ?: compare_u64(a->address, b->address);
}

static size_t frames_of(const struct report_stack *stack, uint64_t depth) {
    return depth && depth < stack->frame_count ? depth : stack->frame_count;
}

int order_stacks(const struct report_stack *a, const struct report_stack *b, uint64_t depth) {
    if (!a || !b)
        return !a - !b;
    size_t left = frames_of(a, depth), right = frames_of(b, depth);
    int order = 0;
    for (size_t i = 0; i < left && i < right && !order; i++)
        order = compare_frames(&a->frames[i], &b->frames[i]);
    return order ?: compare_u64(left, right);
}

int order_identity(const struct report_site *a, const struct report_site *b) {
    return compare_u64(!a->view.sited, !b->view.sited)
               ?: compare_place(&a->view.at, &b->view.at)
               ?: compare_text(a->view.callee, b->view.callee)
               ?: compare_text(a->view.type, b->view.type)
               ?: compare_u64(a->view.id, b->view.id)
               ?: compare_u64(a->view.address, b->view.address)
               ?: compare_u64(a->view.outside_totals, b->view.outside_totals)
               ?: compare_u64(a->view.mapping, b->view.mapping)
               ?: compare_text(a->view.module, b->view.module)
               ?: compare_text(a->way, b->way)
               ?: (a->way ? order_stacks(a->main_stack, b->main_stack, 0) : 0);
}

static const struct report_site *site_at(const void *element) {
    return *(struct report_site *const *)element;
}

static int compare_identity(const void *a, const void *b) {
    return order_identity(site_at(a), site_at(b));
}

void order_sites_by_identity(struct report_site **sites, size_t count) {
    sort_array(sites, count, sizeof *sites, compare_identity);
}

/* SORTS: by leaked bytes. */
static uint64_t key_of(const struct report_site *site, enum report_sort sort) {
    const struct counters *counters = &site->counters;
    switch (sort) {
    case SORT_BYTES:
        return counters_bytes(counters);
    case SORT_ALLOCS:
        return counters_calls(counters);
    case SORT_LIVE:
        return counters->live_bytes;
    case SORT_PEAK:
        return counters->peak_bytes;
    default:
        return counters->leaked_bytes;
    }
}

/* In descending order of both keys, then of bytes and calls, then in source order. */
static int compare_keys(const void *a, const void *b, enum report_sort first, enum report_sort second) {
    const enum report_sort sorts[] = {first, second, SORT_BYTES, SORT_ALLOCS};
    const struct report_site *left = site_at(a), *right = site_at(b);
    int order = 0;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts && !order; i++)
        order = compare_u64(key_of(right, sorts[i]), key_of(left, sorts[i]));
    return order ?: order_identity(left, right);
}

static int compare_bytes(const void *a, const void *b) {
    return compare_keys(a, b, SORT_BYTES, SORT_ALLOCS);
}

static int compare_calls(const void *a, const void *b) {
    return compare_keys(a, b, SORT_ALLOCS, SORT_BYTES);
}

static int compare_live(const void *a, const void *b) {
    return compare_keys(a, b, SORT_LIVE, SORT_PEAK);
}

static int compare_peak(const void *a, const void *b) {
    return compare_keys(a, b, SORT_PEAK, SORT_LIVE);
}

static int compare_leaked(const void *a, const void *b) {
    return compare_keys(a, b, SORTS, SORT_LIVE);
}

void order_sites(struct report_site **sites, size_t count, const struct report_limits *limits) {
    static int (*const compare[])(const void *, const void *) = {
        [SORT_BYTES] = compare_bytes,
        [SORT_ALLOCS] = compare_calls,
        [SORT_LIVE] = compare_live,
        [SORT_PEAK] = compare_peak,
    };
    COVERS(compare, SORTS);
    sort_array(sites, count, sizeof *sites, limits->leaks ? compare_leaked : compare[limits->sort]);
}

static uint64_t position_of(const struct report_site *site) {
    return site ? site->position : UINT64_MAX;
}

/* By owner in the order of sites, and kind; faults come last, by kind and owner. */
static int compare_owner_and_kind(const struct report_pair *a, const struct report_pair *b) {
    int by_owner = compare_u64(position_of(a->owner), position_of(b->owner));
    int by_kind = compare_u64(a->kind, b->kind);
    if (pair_is_fault(a->kind) || pair_is_fault(b->kind))
        return by_kind ?: by_owner;
    return by_owner ?: by_kind;
}

static int compare_pair_sites(const void *a, const void *b) {
    const struct report_pair *left = a, *right = b;
    return compare_owner_and_kind(left, right) ?: compare_u64(position_of(left->by), position_of(right->by));
}

/* By descending bytes. */
static int compare_pair_sizes(const void *a, const void *b) {
    const struct report_pair *left = a, *right = b;
    return compare_owner_and_kind(left, right)
               ?: compare_u64(right->bytes, left->bytes)
               ?: compare_u64(right->count, left->count)
               ?: compare_u64(position_of(left->by), position_of(right->by));
}

/* ---- Pairs. */

/* Makes pairs refer to merged rows instead of duplicates. */
static void redirect_pairs(struct report_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        pairs[i].owner = pairs[i].owner ? pairs[i].owner->merged : NULL;
        pairs[i].by = pairs[i].by ? pairs[i].by->merged : NULL;
    }
}

static bool is_same(const struct report_pair *a, const struct report_pair *b) {
    return a->kind == b->kind && a->owner == b->owner && a->by == b->by;
}

/* Returns the number of pairs left. */
static size_t merge_same(struct report_pair *pairs, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept && is_same(&pairs[kept - 1], &pairs[i])) {
            pairs[kept - 1].count += pairs[i].count;
            pairs[kept - 1].bytes += pairs[i].bytes;
        } else
            pairs[kept++] = pairs[i];
    return kept;
}

static void assign_pair(struct report_pair *pairs, size_t index) {
    struct report_site *owner = pairs[index].owner;
    if (owner && owner->pair_count++ == 0)
        owner->first_pair = index;
}

static void name_sites(struct report *report) {
    for (size_t i = 0; i < report->pair_count; i++) {
        const struct report_pair *pair = &report->pairs[i];
        if (!report_has_pair(report, pair))
            continue;
        if (pair->owner)
            pair->owner->is_named = true;
        if (pair->by)
            pair->by->is_named = true;
    }
}

void pairs_prepare(struct report *report) {
    redirect_pairs(report->pairs, report->pair_count);
    sort_array(report->pairs, report->pair_count, sizeof *report->pairs, compare_pair_sites);
    report->pair_count = merge_same(report->pairs, report->pair_count);
    sort_array(report->pairs, report->pair_count, sizeof *report->pairs, compare_pair_sizes);
    report->fault_count = 0;
    for (size_t i = 0; i < report->pair_count; i++)
        if (pair_is_fault(report->pairs[i].kind))
            report->fault_count++;
        else
            assign_pair(report->pairs, i);
    name_sites(report);
}

/* ---- Callers. */

int report_order_places(const struct place *a, const struct place *b) {
    if (!a || !b)
        return !a - !b;
    return compare_text(a->file, b->file)
               ?: compare_u64(a->line, b->line) ?: compare_text(a->function, b->function);
}

static int compare_callers(const void *a, const void *b) {
    const struct report_caller *left = a, *right = b;
    return compare_u64(position_of(left->site), position_of(right->site))
               ?: report_order_places(left->at, right->at);
}

static int compare_caller_sizes(const void *a, const void *b) {
    const struct report_caller *left = a, *right = b;
    return compare_u64(position_of(left->site), position_of(right->site))
               ?: compare_u64(right->calls, left->calls)
               ?: compare_u64(right->bytes, left->bytes) ?: report_order_places(left->at, right->at);
}

static size_t merge_callers(struct report_caller *callers, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept && compare_callers(&callers[kept - 1], &callers[i]) == 0) {
            callers[kept - 1].calls += callers[i].calls;
            callers[kept - 1].bytes += callers[i].bytes;
        } else
            callers[kept++] = callers[i];
    return kept;
}

/* Finds the callers that all stacks of a row share. The last caller of a stack is never shared, so that a row
 * has at least one caller. */
static void share_callers(struct report_site *site, const struct report_stack *stack) {
    size_t most = stack->caller_count ? stack->caller_count - 1 : 0, shared = 0;
    if (site->caller_count++ == 0) {
        site->shared_callers = stack->callers;
        site->shared_caller_count = most;
        return;
    }
    most = most < site->shared_caller_count ? most : site->shared_caller_count;
    while (shared < most && report_order_places(&site->shared_callers[shared], &stack->callers[shared]) == 0)
        shared++;
    site->shared_caller_count = shared;
}

static void share_all(struct report *report) {
    for (size_t i = 0; i < report->site_count; i++) {
        report->sites[i]->shared_callers = NULL;
        report->sites[i]->shared_caller_count = report->sites[i]->caller_count = 0;
    }
    for (size_t i = 0; report->callers && i < report->stack_count; i++)
        if (counters_calls(&report->stacks[i].counters))
            share_callers(report->stacks[i].site, &report->stacks[i]);
    for (size_t i = 0; i < report->site_count; i++)
        report->sites[i]->caller_count = 0;
}

const struct place *report_stack_caller(const struct report_stack *stack) {
    size_t shared = stack->site->shared_caller_count;
    return shared < stack->caller_count ? &stack->callers[shared] : NULL;
}

void callers_prepare(struct report *report) {
    struct report_caller *callers = report->callers;
    size_t count = 0;
    share_all(report);
    for (size_t i = 0; callers && i < report->stack_count; i++) {
        const struct report_stack *stack = &report->stacks[i];
        if (counters_calls(&stack->counters))
            callers[count++] =
                (struct report_caller){stack->site, report_stack_caller(stack),
                                       counters_calls(&stack->counters), counters_bytes(&stack->counters)};
    }
    sort_array(callers, count, sizeof *callers, compare_callers);
    count = merge_callers(callers, count);
    sort_array(callers, count, sizeof *callers, compare_caller_sizes);
    for (size_t i = 0; i < count; i++) {
        struct report_site *site = report->sites[callers[i].site->position];
        if (site->caller_count++ == 0)
            site->first_caller = i;
    }
}

/* ---- Phases. */

int order_phases(const struct report_phase *a, const struct report_phase *b) {
    return compare_u64(position_of(a->site), position_of(b->site))
               ?: compare_u64((uintptr_t)a->stack, (uintptr_t)b->stack) ?: compare_text(a->phase, b->phase);
}

static int compare_phases(const void *a, const void *b) {
    return order_phases(a, b);
}

void phases_prepare(struct report *report) {
    struct report_phase *phases = report->phases;
    size_t kept = 0;
    for (size_t i = 0; i < report->phase_count; i++)
        phases[i].site = phases[i].site->merged;
    sort_array(phases, report->phase_count, sizeof *phases, compare_phases);
    for (size_t i = 0; i < report->phase_count; i++)
        if (kept && compare_phases(&phases[kept - 1], &phases[i]) == 0) {
            phases[kept - 1].calls += phases[i].calls;
            phases[kept - 1].bytes += phases[i].bytes;
        } else
            phases[kept++] = phases[i];
    report->phase_count = kept;
}
