/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two reports side by side, for programs. */
#include "dump/compare/diff.h"

static void put_count(struct out *out, const char *separator, const char *name, size_t count) {
    out_text(out, separator);
    out_char(out, '"');
    out_text(out, name);
    out_text(out, "\":");
    out_u64(out, count);
}

static void put_change(struct out *out, const struct report_site *old, const struct report_site *new) {
    out_text(out, "\"change\":{");
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++) {
        struct change change = change_of(old, new, measure);
        out_text(out, measure ? ",\"" : "\"");
        out_text(out, measure_name(measure));
        out_text(out, change.is_less ? "\":-" : "\":");
        out_u64(out, change.by);
    }
    out_char(out, '}');
}

static void put_side(struct out *out, const char *key, const struct report *report,
                     const struct report_site *site) {
    out_text(out, key);
    if (!site) {
        out_text(out, "null");
        return;
    }
    out_char(out, '{');
    site_json_fields(out, &site->view);
    out_char(out, ',');
    loaded_counters_json(out, &site->counters, true);
    if (report->reach) {
        put_count(out, ",", "lost_blocks", site->lost_blocks);
        put_count(out, ",", "lost_bytes", site->lost_bytes);
    }
    out_char(out, '}');
}

static void put_row(struct out *out, const struct diff *diff, const struct diff_row *row) {
    out_text(out, "{\"state\":\"");
    out_text(out, diff_state_name(row->state));
    out_text(out, row->is_moved ? "\",\"moved\":true," : "\",\"moved\":false,");
    put_change(out, row->old, row->new);
    put_side(out, ",\"old\":", diff->old, row->old);
    put_side(out, ",\"new\":", diff->new, row->new);
    out_char(out, '}');
}

static void put_rows(struct out *out, const struct diff *diff, const struct diff_limits *limits) {
    size_t shown = 0;
    out_text(out, ",\n\"rows\":[");
    for (size_t i = 0; i < diff->count && (!limits->top || shown < limits->top); i++) {
        if (!diff_is_wanted(&diff->rows[i], limits))
            continue;
        out_text(out, shown++ ? ",\n" : "\n");
        put_row(out, diff, &diff->rows[i]);
    }
    out_text(out, "]}\n");
}

void diff_json(struct out *out, const struct diff *diff, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *limits) {
    out_text(out, "{\"format\":\"allocsite-diff\",\"version\":1,\n\"old\":");
    loaded_json(out, old);
    out_text(out, ",\n\"new\":");
    loaded_json(out, new);
    out_text(out, diff->differs ? ",\n\"differs\":true,\"counts\":{" : ",\n\"differs\":false,\"counts\":{");
    for (enum diff_state state = 0; state < DIFF_STATES; state++)
        put_count(out, state ? "," : "", diff_state_name(state), diff->states[state]);
    put_count(out, ",", "moved", diff->moved);
    out_text(out, "},");
    put_change(out, &diff->old->totals, &diff->new->totals);
    put_rows(out, diff, limits);
}
