/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares two reports. */
#include "dump/compare/diff.h"

#include "dump/base/memory.h"
#include "model/report.h"

#include <stdlib.h>

static const struct report_site nothing;

struct change change_of(const struct report_site *old, const struct report_site *new, enum measure measure) {
    uint64_t was = measure_of(old ?: &nothing, measure), is = measure_of(new ?: &nothing, measure);
    return is < was ? (struct change){true, was - is} : (struct change){false, is - was};
}

const char *diff_state_name(enum diff_state state) {
    static const char *const names[DIFF_STATES] = {
        [DIFF_NEW] = "new",       [DIFF_GONE] = "gone",       [DIFF_GROWN] = "grown",
        [DIFF_SHRUNK] = "shrunk", [DIFF_CHANGED] = "changed", [DIFF_SAME] = "same",
    };
    return names[state];
}

static bool is_equal(const struct diff *diff, const struct report_site *old, const struct report_site *new) {
    bool is_equal = true;
#define COMPARE(name) is_equal = is_equal && old->counters.name == new->counters.name;
    ALLOCSITE_TOTALS(COMPARE)
    if (diff->old->reach && diff->new->reach) {
        ALLOCSITE_LEAKED(COMPARE)
    }
#undef COMPARE
    return is_equal;
}

static enum diff_state state_of(const struct diff *diff, const struct report_site *old,
                                const struct report_site *new) {
    bool is_more = false, is_less = false;
    if (!old || !new)
        return old ? DIFF_GONE : DIFF_NEW;
    if (is_equal(diff, old, new) && old->counters.max_live_blocks == new->counters.max_live_blocks)
        return DIFF_SAME;
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++) {
        struct change change = change_of(old, new, measure);
        is_less |= change.is_less;
        is_more |= !change.is_less && change.by;
    }
    return is_more == is_less ? DIFF_CHANGED : is_more ? DIFF_GROWN : DIFF_SHRUNK;
}

static void add_row(struct diff *diff, const struct report_site *old, const struct report_site *new) {
    struct diff_row *row = &diff->rows[diff->count++];
    *row = (struct diff_row){.old = old, .new = new, .state = state_of(diff, old, new)};
    row->is_moved = row->state != DIFF_NEW && row->state != DIFF_GONE && join_is_moved(old, new);
    diff->states[row->state]++;
    diff->moved += row->is_moved;
    diff->differs |= row->state != DIFF_SAME;
}

static void add_rows(struct diff *diff, const struct join_side *old, const struct join_side *new) {
    diff->rows = memory_zeros(old->count + new->count, sizeof *diff->rows);
    for (size_t i = 0; i < old->count; i++) {
        const struct join_site *partner = old->sites[i].partner;
        add_row(diff, old->sites[i].site, partner ? partner->site : NULL);
    }
    for (size_t i = 0; i < new->count; i++)
        if (!new->sites[i].partner)
            add_row(diff, NULL, new->sites[i].site);
}

static uint64_t size_of(const struct diff_row *row, enum measure measure) {
    return change_of(row->old, row->new, measure).by;
}

/* Sorts by the size of the change in the requested measure, then in the other measures, then by source
 * location. */
static int compare_rows(const void *a, const void *b, void *sort) {
    const struct diff_row *left = a, *right = b;
    enum measure first = *(enum measure *)sort;
    for (enum measure i = 0; i <= MEASURE_SORTS; i++) {
        enum measure measure = i ? i - 1 : first;
        uint64_t larger = size_of(left, measure), smaller = size_of(right, measure);
        if (larger != smaller)
            return larger > smaller ? -1 : 1;
    }
    return order_identity(diff_site(left), diff_site(right)) ?: (int)left->state - (int)right->state;
}

void diff_make(struct diff *diff, const struct report *old, const struct report *new, enum measure sort) {
    *diff = (struct diff){.old = old, .new = new};
    diff->differs = !is_equal(diff, &old->totals, &new->totals);
    struct join_side old_side = {.report = old}, new_side = {.report = new};
    join_sides(&old_side, &new_side);
    add_rows(diff, &old_side, &new_side);
    join_free(&old_side);
    join_free(&new_side);
    qsort_r(diff->rows, diff->count, sizeof *diff->rows, compare_rows, &sort);
}

void diff_free(struct diff *diff) {
    free(diff->rows);
}

bool diff_is_wanted(const struct diff_row *row, const struct diff_limits *limits) {
    bool is_large = !limits->min_bytes;
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++)
        is_large |= measure_is_bytes(measure) && size_of(row, measure) >= limits->min_bytes;
    return is_large && (limits->all || row->state != DIFF_SAME);
}
