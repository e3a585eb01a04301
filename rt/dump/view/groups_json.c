/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups as JSON. */
#include "base/out.h"
#include "dump/view/groups_counters.h"
#include "dump/view/groups_types.h"
#include "dump/view/groups_write.h"
#include "write/json.h"

#include <string.h>

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
    json_text(out, "by", group_by_name(groups->by));
    report_head_json(out, report);
    out_text(out, ",\"totals\":{");
    counters(out, &report->totals, BY_SITE, report->reach);
    out_char(out, '}');
    json_number(out, "peak_within", report->peak_within);
    if (groups->by == BY_TYPE)
        groups_types_json(out, groups);
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
    json_number(out, "pid", key->pid);
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
        json_number(out, "line", key->number);
    if (group_by_has_unsited(by))
        out_text(out, key->is_unsited ? ",\"sited\":false" : ",\"sited\":true");
}

void groups_json(struct out *out, const struct groups *groups, const struct report *report) {
    head(out, groups, report);
    json_number(out, "rows_left_out", groups->count - groups->shown);
    out_text(out, ",\n\"rows\":[");
    for (size_t i = 0; i < groups->shown; i++) {
        out_text(out, i ? ",\n{" : "\n{");
        key(out, groups->by, &groups->rows[i].key);
        out_char(out, ',');
        counters(out, &groups->rows[i].sum, groups->by, report->reach);
        if (groups->by == BY_TYPE)
            type_use_json(out, &groups->rows[i].use);
        out_char(out, '}');
    }
    out_text(out, "]}\n");
}
