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
    if (names && !symbolize_report(names, loaded->report)) {
        complain(path, "out of memory for the names of addresses");
        report_source_free(&loaded->source);
        return false;
    }
    report_prepare(loaded->report, &everything);
    loaded->is_lawful = laws_check(path, loaded->report) == STATUS_DONE;
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
    if (!report->finished) {
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

static void number(struct out *out, const char *separator, const char *name, uint64_t value) {
    out_text(out, separator);
    out_char(out, '"');
    out_text(out, name);
    out_text(out, "\":");
    out_u64(out, value);
}

void loaded_counters_json(struct out *out, const struct counters *counters, bool is_site) {
    const char *separator = "";
#define WRITE_COUNTER(name)                                                                                  \
    number(out, separator, #name, counters->name);                                                           \
    separator = ",";
    if (is_site) {
        ALLOCSITE_SITE_TOTALS(WRITE_COUNTER)
    } else {
        ALLOCSITE_TOTALS(WRITE_COUNTER)
    }
#undef WRITE_COUNTER
}

static void reasons_json(struct out *out, const struct report *report) {
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, i ? "," : "");
        out_json_string(out, report->reasons[i]);
    }
}

void loaded_json(struct out *out, const struct loaded *loaded) {
    const struct report *report = loaded->report;
    out_text(out, "{\"file\":");
    out_json_string(out, loaded->path);
    out_text(out, ",\"program\":");
    out_json_string(out, report->program);
    number(out, ",", "pid", report->pid);
    number(out, ",", "processes", report->several.count ? report->several.count : 1);
    out_text(out, report->reason_count ? ",\"exact\":false" : ",\"exact\":true");
    out_text(out, ",\"inexact_reasons\":[");
    reasons_json(out, report);
    out_text(out, report->finished ? "],\"finished\":true" : "],\"finished\":false");
    out_text(out, loaded->is_lawful ? ",\"lawful\":true" : ",\"lawful\":false");
    number(out, ",", "peak_within", report->peak_within);
    number(out, ",", "sites_left_out", report->left_out);
    out_text(out, ",\"totals\":{");
    loaded_counters_json(out, &report->totals.counters, false);
    out_text(out, "}}");
}

/* ---- What must hold between a report's numbers, and who is told if it does not. */

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

int laws_need_owners(const char *path, const struct report *report) {
    if (!report->is_unowned)
        return STATUS_DONE;
    complain(path,
             "was counted without the owners of blocks: run the program without ALLOCSITE_OPTIONS=owners=0");
    return STATUS_FAILED;
}
