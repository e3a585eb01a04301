/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads, prepares and checks a whole report for a command. */
#include "dump/load/loaded.h"

#include "dump/base/terminal.h"
#include "write/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* ---- The laws that relate a report's numbers. */

struct check {
    const struct report *report;
    const struct report_site *site; /* being checked; NULL: the totals */
    report_breach_function *on_breach;
    void *context;
    size_t breaches;
};

static void require_law(struct check *check, bool holds, const char *law, uint64_t left, uint64_t right) {
    if (holds)
        return;
    struct report_breach breach = {check->site, law, left, right};
    check->on_breach(check->context, &breach);
    check->breaches++;
}

static void require_equal(struct check *check, const char *law, uint64_t left, uint64_t right) {
    require_law(check, left == right, law, left, right);
}

static void at_most(struct check *check, const char *law, uint64_t left, uint64_t right) {
    require_law(check, left <= right, law, left, right);
}

static void check_row(struct check *check, const struct report_site *row) {
    const struct counters *of = &row->counters;
    require_equal(check, "allocs + reallocs + inherited_blocks = frees + moved + live_blocks",
                  of->allocs + of->reallocs + of->inherited_blocks, of->frees + of->moved + of->live_blocks);
    require_equal(check,
                  "alloc_bytes + realloc_bytes + inherited_bytes = freed_bytes + moved_bytes + live_bytes",
                  of->alloc_bytes + of->realloc_bytes + of->inherited_bytes,
                  of->freed_bytes + of->moved_bytes + of->live_bytes);
    if (!check->report->reach)
        return;
    at_most(check, "leaked_blocks <= live_blocks", of->leaked_blocks, of->live_blocks);
    at_most(check, "leaked_bytes <= live_bytes", of->leaked_bytes, of->live_bytes);
    at_most(check, "possibly_leaked_blocks <= live_blocks - leaked_blocks", of->possibly_leaked_blocks,
            of->live_blocks - of->leaked_blocks);
    at_most(check, "possibly_leaked_bytes <= live_bytes - leaked_bytes", of->possibly_leaked_bytes,
            of->live_bytes - of->leaked_bytes);
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
    require_equal(check, "count of pairs with kind free = frees", freed.count, of->frees);
    require_equal(check, "bytes of pairs with kind free = freed_bytes", freed.bytes, of->freed_bytes);
    require_equal(check, "count of pairs with kind realloc = moved", moved.count, of->moved);
    require_equal(check, "bytes of pairs with kind realloc = moved_bytes", moved.bytes, of->moved_bytes);
}

/* A thread that runs on while the program ends may be stopped in the middle of counting an event. True if
 * there were several threads. */
static bool may_run_on(const struct report *report) {
    for (size_t i = 1; i < report->part_count; i++)
        if (report->parts[i].thread != report->parts[0].thread)
            return true;
    return report->peak_within; /* only with several threads the peak has a bound */
}

static void check_site(struct check *check, bool with_pairs) {
    const struct counters *of = &check->site->counters;
    check_row(check, check->site);
    at_most(check, "peak_bytes <= peak_bytes in total", of->peak_bytes,
            check->report->totals.counters.peak_bytes);
    if (!may_run_on(check->report))
        at_most(check, "live_blocks <= max_live_blocks + max_live_blocks_within", of->live_blocks,
                of->max_live_blocks + of->max_live_blocks_within);
    /* If several modules share a site's id, pairs cannot be assigned to one of them. */
    if (with_pairs && !check->site->shares_id)
        check_pairs(check);
}

static void check_totals(struct check *check) {
    const struct report *report = check->report;
    const struct report_site *totals = &report->totals;
    check->site = NULL;
    check_row(check, totals);
    at_most(check, "live_bytes <= peak_bytes + peak_within", totals->counters.live_bytes,
            totals->counters.peak_bytes + report->peak_within);
}

size_t report_check(const struct report *report, report_breach_function *on_breach, void *context) {
    struct check check = {.report = report, .on_breach = on_breach, .context = context};
    /* Pairs are checked only in exact reports of programs that ended by a function of the C library. In
     * others the last event may be counted without its pair. */
    bool with_pairs = report->has_pairs && report->finished && report->run.ending != PROFILE_EXIT_GROUP &&
                      !report->reason_count && !may_run_on(report);
    check_totals(&check);
    for (size_t i = 0; i < report->site_count; i++) {
        check.site = report->sites[i];
        check_site(&check, with_pairs);
    }
    return check.breaches;
}

/* ---- Loading. */

bool loaded_open(struct loaded *loaded, const char *path, struct symbolizer *names) {
    static char directory[PATH_MAX];
    struct report_limits everything = {.top = 0};
    struct reason why;
    *loaded = (struct loaded){.path = path};
    if (!report_source_load(&loaded->source, path, &why)) {
        complain_file(path, "%s", why.text);
        return false;
    }
    loaded->report = loaded->source.report;
    loaded->report->directory = getcwd(directory, sizeof directory);
    if (names)
        report_source_lines(&loaded->source, names);
    report_prepare(loaded->report, &everything);
    int status = laws_need_whole(path, loaded->report);
    loaded->is_lawful = (status | laws_check(path, loaded->report)) == STATUS_DONE;
    return true;
}

void loaded_close(struct loaded *loaded) {
    report_source_free(&loaded->source);
}

void loaded_doubts_text(struct out *out, const struct loaded *loaded) {
    const struct report *report = loaded->report;
    struct page page = {.out = out, .report = report};
    for (size_t i = 0; i < report->reason_count; i++) {
        out_plain(out, loaded->path);
        out_text(out, ": exact: no, ");
        summary_reason(&page, i);
        out_char(out, '\n');
    }
    if (!report->finished && !report->sampled.time) {
        out_plain(out, loaded->path);
        out_text(out, ": finished: no, the program had not ended normally\n");
    }
}

void loaded_json(struct json *json, const char *key, const struct loaded *loaded) {
    const struct report *report = loaded->report;
    json_open(json, key, '{');
    json_text(json, "file", loaded->path);
    json_head(json, report);
    json_flag(json, "lawful", loaded->is_lawful);
    json_number(json, "peak_within", report->peak_within);
    json_open(json, "totals", '{');
    json_counters(json, &report->totals.counters, false);
    json_close(json, '}');
    json_close(json, '}');
}

/* ---- Reporting breaches. */

/* Breaches that are printed. */
enum { BREACHES_SHOWN = 10 };

struct breaches {
    const char *path;
    size_t count;
};

static void print_breach(void *context, const struct report_breach *breach) {
    struct breaches *breaches = context;
    char subject[32] = "totals";
    if (breaches->count++ >= BREACHES_SHOWN)
        return;
    if (breach->site)
        snprintf(subject, sizeof subject, "site %016" PRIx64, breach->site->view.id);
    complain_file(breaches->path, "is inconsistent: %s: %s, but they are %" PRIu64 " and %" PRIu64, subject,
                  breach->law, breach->left, breach->right);
}

int laws_check(const char *path, const struct report *report) {
    struct breaches breaches = {.path = path};
    if (report_is_torn(report))
        return STATUS_DONE;
    report_check(report, print_breach, &breaches);
    if (breaches.count > BREACHES_SHOWN)
        complain_file(path, "and %zu more inconsistencies", breaches.count - BREACHES_SHOWN);
    return breaches.count ? STATUS_FAILED : STATUS_DONE;
}

int laws_need_whole(const char *path, const struct report *report) {
    return report->damaged ? complain_file(path, "is damaged: %s", report->reasons[0]) : STATUS_DONE;
}

int laws_need_owners(const char *path, const struct report *report) {
    const char *why = report_unowned_reason(report);
    return why ? complain_file(path, "was counted without the owners of blocks: %s", why) : STATUS_DONE;
}

int laws_need_stacks(const char *path, bool has_stacks) {
    if (has_stacks)
        return STATUS_DONE;
    return complain_file(path, "has no calling frames: run the program with ALLOCSITE_OPTIONS=stack=16");
}
