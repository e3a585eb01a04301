/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report that a command looks at as a whole. */
#include "dump/load/loaded.h"

#include "dump/base/complain.h"
#include "dump/load/report_check.h"
#include "write/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

bool loaded_open(struct loaded *loaded, const char *path, struct symbolizer *names) {
    static char directory[PATH_MAX];
    struct report_limits everything = {.top = 0};
    struct reason why;
    *loaded = (struct loaded){.path = path};
    if (!report_source_load(&loaded->source, path, &why)) {
        complain(path, "%s", why.text);
        return false;
    }
    loaded->report = loaded->source.report;
    loaded->report->directory = getcwd(directory, sizeof directory);
    if (names)
        symbolize_report(names, loaded->report);
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
        out_text(out, ": finished: no, the program had not ended by itself\n");
    }
    if (report->left_out) {
        out_plain(out, loaded->path);
        out_text(out, ": sites left out: ");
        out_u64(out, report->left_out);
        out_char(out, '\n');
    }
}

void loaded_json(struct json *json, const char *key, const struct loaded *loaded) {
    const struct report *report = loaded->report;
    json_open(json, key, '{');
    json_text(json, "file", loaded->path);
    json_head(json, report);
    json_flag(json, "lawful", loaded->is_lawful);
    json_number(json, "peak_within", report->peak_within);
    json_number(json, "sites_left_out", report->left_out);
    json_open(json, "totals", '{');
    json_counters(json, &report->totals.counters, false);
    json_close(json, '}');
    json_close(json, '}');
}

/* ---- The laws that must hold between a report's numbers, and who is told of a breach. */

/* Breaches that are told one by one. */
enum { BREACHES_TOLD = 10 };

struct breaches {
    const char *path;
    size_t count;
};

static void tell_breach(void *context, const struct report_breach *breach) {
    struct breaches *breaches = context;
    char whose[32] = "totals";
    if (breaches->count++ >= BREACHES_TOLD)
        return;
    if (breach->site)
        snprintf(whose, sizeof whose, "site %016" PRIx64, breach->site->view.id);
    complain(breaches->path, "breaks a law: %s: %s, but they are %" PRIu64 " and %" PRIu64, whose,
             breach->law, breach->left, breach->right);
}

int laws_check(const char *path, const struct report *report) {
    struct breaches breaches = {.path = path};
    report_check(report, tell_breach, &breaches);
    if (breaches.count > BREACHES_TOLD)
        complain(path, "and %zu more breaches", breaches.count - BREACHES_TOLD);
    return breaches.count ? STATUS_FAILED : STATUS_DONE;
}

int laws_need_whole(const char *path, const struct report *report) {
    return report->damaged ? complain(path, "is damaged: %s", report->reasons[0]) : STATUS_DONE;
}

int laws_need_owners(const char *path, const struct report *report) {
    if (!report->is_unowned)
        return STATUS_DONE;
    return complain(
        path, "was counted without the owners of blocks: run the program without ALLOCSITE_OPTIONS=owners=0");
}
