/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of groups, and which of them are shown. */
#include "groups_types.h"

#include <string.h>

/* What is live of a part is signed. */
static uint64_t live(const struct groups *groups, const struct counters *counters) {
    return group_by_parts(groups->by) ? counters->live_bytes ^ UINT64_C(1) << 63 : counters->live_bytes;
}

static void set_order(const struct groups *groups, struct group *group) {
    const struct counters *counters = &group->sum.counters;
    enum report_sort sort = groups->limits.sort;
    uint64_t live_bytes = live(groups, counters);
    group->order[0] = group->order[1] = 0;
    if (groups->limits.leaks) {
        group->order[0] = group->sum.lost_bytes;
        group->order[1] = live_bytes;
    } else if (sort == SORT_ALLOCS) {
        group->order[0] = counters_calls(counters);
    } else if (sort == SORT_LIVE) {
        group->order[0] = live_bytes;
        group->order[1] = counters->peak_bytes;
    } else if (sort == SORT_PEAK) {
        group->order[0] = counters->peak_bytes;
        group->order[1] = live_bytes;
    }
}

static int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_names(const char *a, const char *b) {
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int compare_keys(const struct group_key *a, const struct group_key *b) {
    int order = compare_u64(a->is_module, b->is_module);
    if (!order)
        order = compare_u64(a->is_unsited, b->is_unsited);
    if (!order)
        order = compare_names(a->name, b->name);
    if (!order)
        order = compare_u64(a->pid, b->pid);
    return order ? order : compare_u64(a->number, b->number);
}

/* The larger first; what is equal, and has as many bytes and calls, by name. */
static int compare(const void *a, const void *b) {
    const struct group *left = a, *right = b;
    int order = 0;
    for (int i = 0; i < 2 && !order; i++)
        order = compare_u64(right->order[i], left->order[i]);
    if (!order)
        order = compare_u64(counters_bytes(&right->sum.counters), counters_bytes(&left->sum.counters));
    if (!order)
        order = compare_u64(counters_calls(&right->sum.counters), counters_calls(&left->sum.counters));
    return order ? order : compare_keys(&left->key, &right->key);
}

static bool is_wanted(const struct report_site *sum, const struct report_limits *limits) {
    return counters_bytes(&sum->counters) >= limits->min_bytes &&
           counters_calls(&sum->counters) >= limits->min_allocs &&
           (!limits->leaks || sum->counters.live_blocks);
}

static void add(struct report_site *sum, const struct report_site *part) {
    counters_add(&sum->counters, &part->counters);
    sum->lost_blocks += part->lost_blocks;
    sum->lost_bytes += part->lost_bytes;
}

/* Those that are shown come to the front, in their order. */
static void cut(struct groups *groups) {
    const struct report_limits *limits = &groups->limits;
    for (size_t i = 0; i < groups->count; i++) {
        struct group group = groups->rows[i];
        bool fits = !limits->top || groups->shown < limits->top;
        if (!fits || !is_wanted(&group.sum, limits)) {
            add(&groups->hidden.sum, &group.sum);
            type_use_add(&groups->hidden.use, &group.use);
            continue;
        }
        groups->rows[i] = groups->rows[groups->shown];
        groups->rows[groups->shown++] = group;
    }
}

void groups_prepare(struct groups *groups, const struct report_limits *limits) {
    groups->limits = *limits;
    for (size_t i = 0; i < groups->count; i++) {
        set_order(groups, &groups->rows[i]);
        add(&groups->whole, &groups->rows[i].sum);
        type_use_add(&groups->whole_use, &groups->rows[i].use);
    }
    if (groups->count)
        qsort(groups->rows, groups->count, sizeof *groups->rows, compare);
    cut(groups);
}
