/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pairs of a report in the order of its sites. */
#include "report_pairs.h"
#include "report_order.h"

/* A site can stand in the report twice; pairs go to the row that stands for both. */
static void redirect(struct report_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        pairs[i].owner = pairs[i].owner ? pairs[i].owner->merged : NULL;
        pairs[i].by = pairs[i].by ? pairs[i].by->merged : NULL;
    }
}

static bool is_same(const struct report_pair *a, const struct report_pair *b) {
    return a->kind == b->kind && a->owner == b->owner && a->by == b->by;
}

/* Returns how many are left. */
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

static void assign(struct report_pair *pairs, size_t index) {
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
    redirect(report->pairs, report->pair_count);
    order_pairs_by_site(report->pairs, report->pair_count);
    report->pair_count = merge_same(report->pairs, report->pair_count);
    order_pairs_by_size(report->pairs, report->pair_count);
    report->fault_count = 0;
    for (size_t i = 0; i < report->pair_count; i++)
        if (pair_is_fault(report->pairs[i].kind))
            report->fault_count++;
        else
            assign(report->pairs, i);
    name_sites(report);
}
