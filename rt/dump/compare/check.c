/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report held against a budget. */
#include "dump/compare/check.h"

#include "dump/base/complain.h"
#include "dump/base/memory.h"
#include "dump/compare/budget.h"
#include "dump/load/loaded.h"
#include "model/report_order.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

struct check_sum check_sum(const struct subjects *subjects, const struct limit *limit) {
    const struct report_site *totals = &subjects->report->totals;
    struct check_sum sum = {.sites = 0};
    size_t *covered = subjects_covered(subjects, limit, &sum.sites);
    for (size_t i = 0; i < sum.sites; i++)
        for (enum measure measure = 0; measure < MEASURES; measure++)
            sum.amounts[measure] =
                add(sum.amounts[measure], measure_of(subjects->list[covered[i]].site, measure));
    free(covered);
    /* The totals are those of sites that were left out, too. */
    for (enum measure measure = 0; limit->kind == BUDGET_TOTAL && measure < MEASURES; measure++)
        sum.amounts[measure] = measure_of(totals, measure);
    return sum;
}

/* The limits of a line have one pattern in one place. */
static bool has_same_sites(const struct limit *a, const struct limit *b) {
    return a->line == b->line && a->pattern == b->pattern;
}

static void judge(struct check *check, const struct limit *limits) {
    struct check_sum sum;
    for (size_t i = 0; i < check->count; i++) {
        const struct limit *limit = &limits[i];
        if (!i || !has_same_sites(limit - 1, limit))
            sum = check_sum(check->subjects, limit);
        uint64_t actual = sum.amounts[limit->measure];
        check->verdicts[i] = (struct verdict){limit, actual, sum.sites, actual <= limit->most};
        check->broken += actual > limit->most;
    }
}

void check_make(struct check *check, const struct budget *budget, const char *budget_path,
                const struct loaded *loaded, const struct subjects *subjects) {
    *check = (struct check){.budget_path = budget_path, .loaded = loaded, .subjects = subjects};
    check->verdicts = memory_zeros(budget->count, sizeof *check->verdicts);
    check->count = budget->count;
    judge(check, budget->limits);
}

void check_free(struct check *check) {
    free(check->verdicts);
}

static bool is_larger(const struct report_site *a, const struct report_site *b, enum measure measure) {
    uint64_t left = measure_of(a, measure), right = measure_of(b, measure);
    return left > right || (left == right && order_identity(a, b) < 0);
}

size_t check_largest(const struct check *check, const struct verdict *verdict,
                     const struct report_site **sites, size_t max) {
    enum measure measure = verdict->limit->measure;
    size_t count = 0, of;
    size_t *covered = subjects_covered(check->subjects, verdict->limit, &of);
    for (size_t i = 0; i < of; i++) {
        const struct report_site *site = check->subjects->list[covered[i]].site;
        if (!measure_of(site, measure))
            continue;
        size_t at = count < max ? count++ : max;
        for (; at && is_larger(site, sites[at - 1], measure); at--)
            if (at < max)
                sites[at] = sites[at - 1];
        if (at < max)
            sites[at] = site;
    }
    free(covered);
    return count;
}

static void complain_line(const struct check *check, const struct limit *limit, const char *before,
                          const char *after) {
    char place[512];
    snprintf(place, sizeof place, "%s:%u", check->budget_path, limit->line);
    complain(place, "warning: %s of %s %s", before, check->loaded->path, after);
}

/* A line can have several limits for the same sites. A site that has counted nothing stands in no report: if
 * nothing is all that it may have, it is in order that it is not there. */
static void complain_unmatched(const struct check *check) {
    unsigned told = 0;
    for (size_t i = 0; i < check->count; i++) {
        const struct limit *limit = check->verdicts[i].limit;
        if (check->verdicts[i].sites || !limit->most || !limit->pattern || limit->line == told)
            continue;
        complain_line(check, limit, "no site", "matches this line");
        told = limit->line;
    }
}

static bool has_measure(const struct check *check, enum measure measure) {
    for (size_t i = 0; i < check->count; i++)
        if (check->verdicts[i].limit->measure == measure)
            return true;
    return false;
}

static bool has_pattern(const struct check *check) {
    for (size_t i = 0; i < check->count; i++)
        if (check->verdicts[i].limit->pattern)
            return true;
    return false;
}

/* The peak of several threads is only known to lie in a window. */
static void complain_uncertain(const struct check *check) {
    uint64_t within = check->loaded->report->peak_within;
    for (size_t i = 0; i < check->count; i++) {
        const struct verdict *verdict = &check->verdicts[i];
        if (verdict->is_kept && verdict->limit->kind == BUDGET_TOTAL &&
            verdict->limit->measure == MEASURE_PEAK && add(verdict->actual, within) > verdict->limit->most)
            complain_line(check, verdict->limit, "the true peak", "may be above this limit");
    }
}

int check_complain(const struct check *check) {
    const struct loaded *loaded = check->loaded;
    bool no_reach = !loaded->report->reach && has_measure(check, MEASURE_LOST);
    bool is_of_owners = has_measure(check, MEASURE_LIVE) || has_measure(check, MEASURE_PEAK) ||
                        has_measure(check, MEASURE_BLOCKS);
    bool is_part = loaded->report->left_out && has_pattern(check);
    complain_unmatched(check);
    complain_uncertain(check);
    if (no_reach)
        complain(loaded->path, "has no lost blocks: run the program with ALLOCSITE_OPTIONS=reach=1");
    if (is_part)
        complain(loaded->path, "has %zu sites left out, which the limits may be for",
                 loaded->report->left_out);
    int unowned = is_of_owners ? laws_need_owners(loaded->path, loaded->report) : STATUS_DONE;
    return no_reach || is_part ? STATUS_FAILED : unowned;
}
