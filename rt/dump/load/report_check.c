/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a report keeps the laws. */
#include "dump/load/report_check.h"

struct check {
    const struct report *report;
    const struct report_site *site; /* at present; NULL: the totals */
    report_breach_function *tell;
    void *context;
    size_t breaches;
};

static void require(struct check *check, bool holds, const char *law, uint64_t left, uint64_t right) {
    if (holds)
        return;
    struct report_breach breach = {check->site, law, left, right};
    check->tell(check->context, &breach);
    check->breaches++;
}

static void equal(struct check *check, const char *law, uint64_t left, uint64_t right) {
    require(check, left == right, law, left, right);
}

static void at_most(struct check *check, const char *law, uint64_t left, uint64_t right) {
    require(check, left <= right, law, left, right);
}

static void check_row(struct check *check, const struct report_site *row) {
    const struct counters *of = &row->counters;
    equal(check, "allocs + reallocs + inherited_blocks = frees + moved + live_blocks",
          of->allocs + of->reallocs + of->inherited_blocks, of->frees + of->moved + of->live_blocks);
    equal(check, "alloc_bytes + realloc_bytes + inherited_bytes = freed_bytes + moved_bytes + live_bytes",
          of->alloc_bytes + of->realloc_bytes + of->inherited_bytes,
          of->freed_bytes + of->moved_bytes + of->live_bytes);
    if (!check->report->reach)
        return;
    at_most(check, "lost_blocks <= live_blocks", row->lost_blocks, of->live_blocks);
    at_most(check, "lost_bytes <= live_bytes", row->lost_bytes, of->live_bytes);
}

/* Sums over the pairs of one site and kind. */
static struct report_pair sum_of(const struct check *check, enum pair_kind kind) {
    struct report_pair sum = {.kind = kind};
    for (size_t i = 0; i < check->site->pair_count; i++) {
        const struct report_pair *pair = &check->report->pairs[check->site->first_pair + i];
        if (pair->kind != kind)
            continue;
        sum.count += pair->count;
        sum.bytes += pair->bytes;
    }
    return sum;
}

static void check_pairs(struct check *check) {
    const struct counters *of = &check->site->counters;
    struct report_pair freed = sum_of(check, PAIR_FREE), moved = sum_of(check, PAIR_REALLOC);
    equal(check, "count of pairs with kind free = frees", freed.count, of->frees);
    equal(check, "bytes of pairs with kind free = freed_bytes", freed.bytes, of->freed_bytes);
    equal(check, "count of pairs with kind realloc = moved", moved.count, of->moved);
    equal(check, "bytes of pairs with kind realloc = moved_bytes", moved.bytes, of->moved_bytes);
}

static const struct counters *totals_of(const struct report *report) {
    return report->stated ? &report->stated->counters : &report->totals.counters;
}

static void check_site(struct check *check, bool with_pairs) {
    const struct counters *of = &check->site->counters;
    check_row(check, check->site);
    at_most(check, "peak_bytes <= peak_bytes in total", of->peak_bytes, totals_of(check->report)->peak_bytes);
    at_most(check, "live_blocks <= max_live_blocks + max_live_blocks_within", of->live_blocks,
            of->max_live_blocks + of->max_live_blocks_within);
    /* An id that several modules share does not tell whose the pairs are. */
    if (with_pairs && !check->site->shares_id)
        check_pairs(check);
}

/* With sites left out the totals are the stated ones, and nothing can differ. */
static void check_sums(struct check *check) {
    const struct report *report = check->report;
    if (!report->stated)
        return;
#define CHECK_SUM(name)                                                                                      \
    equal(check, "sum of " #name " over all sites = " #name, report->totals.counters.name,                   \
          report->stated->counters.name);
    ALLOCSITE_TOTALS(CHECK_SUM)
#undef CHECK_SUM
    equal(check, "sum of lost_blocks over all sites = lost_blocks", report->totals.lost_blocks,
          report->stated->lost_blocks);
    equal(check, "sum of lost_bytes over all sites = lost_bytes", report->totals.lost_bytes,
          report->stated->lost_bytes);
}

static void check_totals(struct check *check) {
    const struct report *report = check->report;
    const struct report_site *totals = report->stated ?: &report->totals;
    check->site = NULL;
    check_row(check, totals);
    at_most(check, "live_bytes <= peak_bytes + peak_within", totals->counters.live_bytes,
            totals->counters.peak_bytes + report->peak_within);
    check_sums(check);
}

size_t report_check(const struct report *report, report_breach_function *tell, void *context) {
    struct check check = {.report = report, .tell = tell, .context = context};
    /* Of sites that only stand in pairs, a part of a report does not have their own; the last event of a
     * program that has not ended may be counted, and its pair not yet; and pairs may be what is not exact. */
    bool with_pairs = report->has_pairs && !report->left_out && report->finished && !report->reason_count;
    check_totals(&check);
    for (size_t i = 0; i < report->site_count; i++) {
        check.site = report->sites[i];
        check_site(&check, with_pairs);
    }
    return check.breaches;
}
