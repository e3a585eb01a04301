/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups as JSON. */
#include "groups_counters.h"
#include "groups_write.h"

#include "../lib/out.h"

#include <string.h>

static void number(struct out *out, const char *name, uint64_t value) {
    out_text(out, ",\"");
    out_text(out, name);
    out_text(out, "\":");
    out_u64(out, value);
}

static void text(struct out *out, const char *name, const char *value) {
    out_text(out, ",\"");
    out_text(out, name);
    out_text(out, "\":");
    out_json_string(out, value);
}

static void reasons(struct out *out, const struct report *report) {
    out_text(out, report->reason_count ? ",\"exact\":false" : ",\"exact\":true");
    out_text(out, ",\"inexact_reasons\":[");
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, i ? "," : "");
        out_json_string(out, report->reasons[i]);
    }
    out_char(out, ']');
}

static void counters(struct out *out, const struct report_site *sum, enum group_by by, bool has_lost) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, by, has_lost);
    for (size_t i = 0; i < count; i++) {
        out_text(out, i ? ",\"" : "\"");
        out_text(out, list[i].name);
        out_text(out, "\":");
        group_counter_write(out, sum, &list[i]);
    }
}

static void head(struct out *out, const struct groups *groups, const struct report *report) {
    out_text(out, "{\"format\":\"allocsite-groups\",\"version\":1");
    text(out, "by", group_by_name(groups->by));
    text(out, "program", report->program);
    number(out, "pid", report->pid);
    number(out, "processes", report->several.count ? report->several.count : 1);
    reasons(out, report);
    out_text(out, report->finished ? ",\"finished\":true" : ",\"finished\":false");
    out_text(out, ",\"totals\":{");
    counters(out, &report->totals, BY_SITE, report->reach);
    out_char(out, '}');
    number(out, "peak_within", report->peak_within);
    if (!groups_have_before(groups))
        return;
    struct report_site before = {.counters = groups->before_reset};
    out_text(out, ",\"before_reset\":{");
    counters(out, &before, groups->by, false);
    out_char(out, '}');
}

static void thread(struct out *out, const struct group_key *key) {
    out_text(out, "\"thread\":");
    if (key->name)
        out_text(out, "null");
    else
        out_u64(out, key->number);
    number(out, "pid", key->pid);
}

static void key(struct out *out, enum group_by by, const struct group_key *key) {
    if (by == BY_THREAD) {
        thread(out, key);
        return;
    }
    out_char(out, '"');
    out_text(out, group_by_name(by == BY_LINE ? BY_FILE : by));
    out_text(out, "\":");
    out_json_string(out, key->name);
    if (by == BY_LINE)
        number(out, "line", key->number);
    if (group_by_has_unsited(by))
        out_text(out, key->is_module ? ",\"sited\":false" : ",\"sited\":true");
}

void groups_json(struct out *out, const struct groups *groups, const struct report *report) {
    head(out, groups, report);
    number(out, "rows_left_out", groups->count - groups->shown);
    out_text(out, ",\n\"rows\":[");
    for (size_t i = 0; i < groups->shown; i++) {
        out_text(out, i ? ",\n{" : "\n{");
        key(out, groups->by, &groups->rows[i].key);
        out_char(out, ',');
        counters(out, &groups->rows[i].sum, groups->by, report->reach);
        out_char(out, '}');
    }
    out_text(out, "]}\n");
}
