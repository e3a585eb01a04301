/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report held against a budget. */
#include "dump/compare/check.h"

#include "base/path.h"
#include "dump/base/complain.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/compare/budget.h"
#include "dump/load/loaded.h"
#include "model/report_order.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

struct check_sum check_sum(const struct subjects *subjects, const struct limit *limit) {
    const struct report_site *totals = &subjects->report->totals;
    struct check_sum sum = {.sites = 0};
    for (size_t i = 0; i < subjects->count; i++) {
        if (!budget_covers(limit, &subjects->list[i]))
            continue;
        sum.sites++;
        for (enum measure measure = 0; measure < MEASURES; measure++)
            sum.amounts[measure] = add(sum.amounts[measure], measure_of(subjects->list[i].site, measure));
    }
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
    size_t count = 0;
    for (size_t i = 0; i < check->subjects->count; i++) {
        const struct subject *subject = &check->subjects->list[i];
        const struct report_site *site = subject->site;
        if (!measure_of(site, measure) || !budget_covers(verdict->limit, subject))
            continue;
        size_t at = count < max ? count++ : max;
        for (; at && is_larger(site, sites[at - 1], measure); at--)
            if (at < max)
                sites[at] = sites[at - 1];
        if (at < max)
            sites[at] = site;
    }
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

/* ---- The names of sites that the patterns of a budget are held against. */

static void add_function(struct subject *subject, const char *function) {
    if (!function)
        return;
    char *base = memory_zeros(strlen(function), 1);
    function_base(function, base);
    subject->names[subject->count++] = base;
    if (strcmp(base, function) != 0)
        subject->names[subject->count++] = memory_text("%s", function);
}

static char *clean_path(const char *path) {
    char clean[PATH_MAX];
    path_show(clean, sizeof clean, path, NULL);
    return memory_text("%s", clean);
}

static const struct place *place_of(const struct site_view *view, size_t index) {
    return index ? &view->inlined[index - 1] : &view->at;
}

void subject_make(struct subject *subject, const struct report_site *site) {
    const struct site_view *view = &site->view;
    *subject = (struct subject){.site = site, .module = view->module ? clean_path(view->module) : NULL};
    /* Of each place two names of the function and a file. */
    subject->names = memory_zeros(3 * (view->inlined_count + 1), sizeof *subject->names);
    for (size_t i = 0; i <= view->inlined_count; i++)
        add_function(subject, place_of(view, i)->function);
    subject->function_count = subject->count;
    for (size_t i = 0; i <= view->inlined_count; i++)
        if (place_of(view, i)->file)
            subject->names[subject->count++] = clean_path(place_of(view, i)->file);
}

void subject_free(struct subject *subject) {
    for (size_t i = 0; i < subject->count; i++)
        free(subject->names[i]);
    free(subject->names);
    free(subject->module);
}

void subjects_make(struct subjects *subjects, const struct report *report) {
    *subjects = (struct subjects){.report = report, .count = report->counted};
    subjects->list = memory_zeros(subjects->count, sizeof *subjects->list);
    for (size_t i = 0; i < subjects->count; i++)
        subject_make(&subjects->list[i], report->sites[i]);
}

void subjects_free(struct subjects *subjects) {
    for (size_t i = 0; i < subjects->count; i++)
        subject_free(&subjects->list[i]);
    free(subjects->list);
}
