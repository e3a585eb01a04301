/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters grouped by something other than sites. */
#include "group/groups.h"

#include "base/arrays.h"
#include "model/filter.h"
#include "model/report.h"

#include <string.h>

/* ---- Rows, and which of them are merged. */

static int compare_keys(const struct groups *groups, const struct group_key *a, const struct group_key *b) {
    bool has_several = groups->by == BY_FUNCTION && !a->is_module; /* modules, some with the plugin */
    int order = compare_u64(a->is_apart, b->is_apart)
                    ?: compare_u64(a->role, b->role)
                    ?: compare_u64(a->is_module, b->is_module)
                    ?: (has_several ? 0 : compare_u64(a->is_unsited, b->is_unsited))
                    ?: compare_text(a->name, b->name)
                    ?: compare_u64(a->pid, b->pid) ?: compare_u64(a->number, b->number);
    if (order || !a->site || !b->site)
        return order;
    order = compare_u64(a->site->position, b->site->position);
    return order
               ?: groups->by == BY_CALLER ? report_order_places(a->caller, b->caller)
                                          : order_stacks(a->stack, b->stack, groups->depth);
}

/* Context of compare_rows, because sort_array passes none. One report is made at a time. */
static const struct groups *sorted;

static int compare_rows(const void *a, const void *b) {
    return compare_keys(sorted, &((const struct group *)a)->key, &((const struct group *)b)->key);
}

void groups_merge(struct groups *groups) {
    size_t kept = 0;
    sorted = groups;
    sort_array(groups->rows, groups->count, sizeof *groups->rows, compare_rows);
    for (size_t i = 0; i < groups->count; i++) {
        struct group *row = &groups->rows[i];
        if (kept && compare_rows(&groups->rows[kept - 1], row) == 0) {
            counters_add(&groups->rows[kept - 1].sum.counters, &row->sum.counters);
            report_peak_join(&groups->rows[kept - 1].peak, &row->peak);
            if (row->inclusive)
                groups->rows[kept - 1].inclusive = row->inclusive;
            groups->rows[kept - 1].key.is_unsited &= row->key.is_unsited;
            type_use_join(&groups->rows[kept - 1].use, &row->use);
        } else
            groups->rows[kept++] = *row;
    }
    groups->count = kept;
}

/* ---- From a report. */

/* Returns whether symbols and debug information give the location of an unsited allocation. */
static bool is_known(enum group_by by, const struct site_view *view) {
    return by != BY_TYPE && (by == BY_FUNCTION ? view->at.function : view->at.file);
}

static struct group_key key_of_site(enum group_by by, const struct site_view *view) {
    if (by == BY_MODULE)
        return (struct group_key){.name = view->module};
    if (!view->sited && !is_known(by, view))
        return (struct group_key){.name = view->module, .is_unsited = true, .is_module = true};
    switch (by) {
    case BY_FUNCTION:
        return (struct group_key){.name = view->at.function, .is_unsited = !view->sited};
    case BY_TYPE:
        return (struct group_key){.name = view->type};
    case BY_LINE:
    case BY_FREED:
        return (struct group_key){.name = view->at.file, .is_unsited = !view->sited, .number = view->at.line};
    default:
        return (struct group_key){.name = view->at.file, .is_unsited = !view->sited};
    }
}

static bool is_of_filter(const struct groups *groups, const struct report_site *site) {
    return !groups->filter || !groups->filter[0] || (site && filter_matches(groups->filter, &site->view));
}

static void enter_row(struct groups *groups, struct group_key key, const struct counters *part,
                      const struct report_site *site) {
    if (!is_of_filter(groups, site)) {
        counters_add(&groups->filtered.counters, part);
        groups->has_filtered = true;
        return;
    }
    struct group *row = &groups->rows[groups->count++];
    *row = (struct group){.key = key};
    counters_add(&row->sum.counters, part);
    if (groups->layouts && site)
        type_use_add_site(&row->use, groups->layout_of(groups->layouts, &site->view), part);
}

static void enter_sites(struct groups *groups, const struct report *report) {
    for (size_t i = 0; i < report->counted; i++) {
        const struct report_site *site = report->sites[i];
        struct group_key key = key_of_site(groups->by, &site->view);
        if (group_by_stacks(groups->by))
            key = (struct group_key){.site = site};
        else if (groups->apart && groups->by != BY_MODULE && report_library_use(site))
            key = (struct group_key){.is_apart = true};
        if (!site->view.outside_totals)
            enter_row(groups, key, &site->counters, site);
    }
}

static struct group_key key_of_stack(const struct groups *groups, const struct report_stack *stack) {
    if (groups->by == BY_STACK)
        return (struct group_key){.site = stack->site, .stack = stack};
    return (struct group_key){.site = stack->site, .caller = report_stack_caller(stack)};
}

/* Enters a row for each stack, and subtracts it from its site's row without a stack. */
static void enter_stacks(struct groups *groups, const struct report *report) {
    for (size_t i = 0; i < report->stack_count; i++) {
        const struct report_stack *stack = &report->stacks[i];
        struct counters remainder = {.allocs = 0};
#define TAKE_OFF(name) remainder.name = -stack->counters.name;
        ALLOCSITE_COUNTED(TAKE_OFF)
#undef TAKE_OFF
        if (!stack->frame_count || stack->site->view.outside_totals ||
            stack->site->position >= report->counted)
            continue;
        enter_row(groups, key_of_stack(groups, stack), &stack->counters, stack->site);
        enter_row(groups, (struct group_key){.site = stack->site}, &remainder, stack->site);
    }
}

static bool is_empty(const struct counters *counters) {
    uint64_t any = 0;
#define ANY(name) any |= counters->name;
    ALLOCSITE_TOTALS(ANY)
#undef ANY
    return !any;
}

/* Drops the rows without a stack whose counts are all in stacks. */
static void drop_empty(struct groups *groups) {
    size_t kept = 0;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->rows[i].key.stack || groups->rows[i].key.caller ||
            !is_empty(&groups->rows[i].sum.counters))
            groups->rows[kept++] = groups->rows[i];
    groups->count = kept;
}

/* Enters the freed blocks of the pairs, at the lines that freed them. */
static void enter_freed(struct groups *groups, const struct report *report) {
    static const struct site_view unknown = {.module = "?"};
    for (size_t i = 0; i < report->pair_count - report->fault_count; i++) {
        const struct report_pair *pair = &report->pairs[i];
        struct counters part = {.allocs = 0};
        struct group_key key = key_of_site(BY_FREED, pair->by ? &pair->by->view : &unknown);
        if (pair->owner && pair->owner->view.outside_totals)
            continue;
        *(pair->kind == PAIR_FREE ? &part.frees : &part.moved) = pair->count;
        *(pair->kind == PAIR_FREE ? &part.freed_bytes : &part.moved_bytes) = pair->bytes;
        enter_row(groups, key, &part, pair->by);
    }
}

size_t groups_rows_needed(const struct groups *groups, const struct report *report) {
    if (groups->by == BY_FREED)
        return report->pair_count;
    return report->counted + (group_by_stacks(groups->by) ? 2 * report->stack_count : 0);
}

void groups_enter(struct groups *groups, const struct report *report) {
    if (groups->by == BY_FREED)
        enter_freed(groups, report);
    else
        enter_sites(groups, report);
    if (group_by_stacks(groups->by))
        enter_stacks(groups, report);
    groups_merge(groups);
    if (group_by_stacks(groups->by))
        drop_empty(groups);
}

const char *group_role_name(enum group_role role) {
    static const char *const names[] = {NULL, "caller", "inclusive", "self", "callee"};
    COVERS(names, ROLES);
    return names[role];
}

/* ---- The order of groups, and which of them are shown. */

/* The live bytes of a part are signed: flips the sign bit, so that they compare as unsigned numbers. */
static uint64_t groups_live_bytes(const struct groups *groups, const struct counters *counters) {
    return group_by_parts(groups->by) ? counters->live_bytes ^ UINT64_C(1) << 63 : counters->live_bytes;
}

static void set_order(const struct groups *groups, uint64_t order[GROUP_ORDERS],
                      const struct counters *counters, uint64_t peak_bytes) {
    enum report_sort sort = groups->limits.sort;
    uint64_t live_bytes = groups_live_bytes(groups, counters), first = 0, second = 0;
    if (groups->limits.leaks) {
        first = counters->leaked_bytes;
        second = live_bytes;
    } else if (sort == SORT_ALLOCS) {
        first = counters_calls(counters);
    } else if (sort == SORT_LIVE) {
        first = live_bytes;
        second = peak_bytes;
    } else if (sort == SORT_PEAK) {
        first = peak_bytes;
        second = live_bytes;
    }
    bool is_freed = groups->by == BY_FREED;
    order[0] = first;
    order[1] = second;
    order[2] = is_freed ? counters->freed_bytes + counters->moved_bytes : counters_bytes(counters);
    order[3] = is_freed ? counters->frees + counters->moved : counters_calls(counters);
}

static void set_orders(const struct groups *groups, struct group *group) {
    uint64_t *first = group->order, *second = group->order + GROUP_ORDERS;
    const struct counters *self = &group->sum.counters, *inclusive = group_inclusive(group);
    uint64_t peak = group_by_parts(groups->by) ? group->peak.bytes : self->peak_bytes;
    set_order(groups, groups->is_by_inclusive ? second : first, self, peak);
    set_order(groups, groups->is_by_inclusive ? first : second, inclusive, inclusive->peak_bytes);
}

/* The larger amount comes first; rows with equal amounts are ordered by name. */
static int groups_compare(const void *a, const void *b) {
    const struct group *left = a, *right = b;
    int order =
        compare_u64(left->key.is_apart, right->key.is_apart) ?: compare_u64(left->key.role, right->key.role);
    for (int i = 0; i < 2 * GROUP_ORDERS && !order; i++)
        order = compare_u64(right->order[i], left->order[i]);
    return order ?: compare_rows(a, b);
}

static bool is_wanted(const struct groups *groups, const struct group *group) {
    if (groups->by != BY_FREED)
        return limits_want(&groups->limits, group_inclusive(group));
    return group->order[2] >= groups->limits.min_bytes && group->order[3] >= groups->limits.min_allocs;
}

/* Moves the shown rows to the front and keeps their order. The limit applies to each role. */
static void groups_cut(struct groups *groups) {
    const struct report_limits *limits = &groups->limits;
    size_t shown_of[ROLES] = {0};
    for (size_t i = 0; i < groups->count; i++) {
        struct group group = groups->rows[i];
        bool fits = !limits->top || shown_of[group.key.role] < limits->top;
        if (!fits || !is_wanted(groups, &group)) {
            groups->hidden_of[group.key.role]++;
            counters_add(&groups->hidden.sum.counters, &group.sum.counters);
            type_use_add(&groups->hidden.use, &group.use);
            continue;
        }
        shown_of[group.key.role]++;
        groups->rows[i] = groups->rows[groups->shown];
        groups->rows[groups->shown++] = group;
    }
}

void groups_prepare(struct groups *groups, const struct report_limits *limits) {
    groups->limits = *limits;
    for (size_t i = 0; i < groups->count; i++) {
        set_orders(groups, &groups->rows[i]);
        if (groups->focus && groups->rows[i].key.role != ROLE_INCLUSIVE)
            continue;
        counters_add(&groups->whole.counters, &groups->rows[i].sum.counters);
        type_use_add(&groups->whole_use, &groups->rows[i].use);
    }
    if (!groups->focus)
        counters_add(&groups->whole.counters, &groups->filtered.counters);
    counters_add(&groups->hidden.sum.counters, &groups->filtered.counters);
    sorted = groups;
    sort_array(groups->rows, groups->count, sizeof *groups->rows, groups_compare);
    groups_cut(groups);
}
