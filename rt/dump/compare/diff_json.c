/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two reports side by side, for programs. */
#include "dump/compare/diff.h"
#include "write/json.h"

static void put_change(struct json *json, const struct report_site *old, const struct report_site *new) {
    json_open(json, "change", '{');
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++) {
        struct change change = change_of(old, new, measure);
        json_key(json, measure_name(measure));
        out_text(json->out, change.is_less ? "-" : "");
        out_u64(json->out, change.by);
    }
    json_close(json, '}');
}

static void put_side(struct json *json, const char *key, const struct report *report,
                     const struct report_site *site) {
    if (!site) {
        json_text(json, key, NULL);
        return;
    }
    json_open(json, key, '{');
    json_site(json, &site->view);
    json_counters(json, &site->counters, true);
    json_lost(json, report, site);
    json_close(json, '}');
}

static void put_row(struct json *json, const struct diff *diff, const struct diff_row *row) {
    json_line(json);
    json_open(json, NULL, '{');
    json_text(json, "state", diff_state_name(row->state));
    json_flag(json, "moved", row->is_moved);
    put_change(json, row->old, row->new);
    put_side(json, "old", diff->old, row->old);
    put_side(json, "new", diff->new, row->new);
    json_close(json, '}');
}

static void put_rows(struct json *json, const struct diff *diff, const struct diff_limits *limits) {
    size_t shown = 0;
    json_line(json);
    json_open(json, "rows", '[');
    for (size_t i = 0; i < diff->count && (!limits->top || shown < limits->top); i++) {
        if (!diff_is_wanted(&diff->rows[i], limits))
            continue;
        put_row(json, diff, &diff->rows[i]);
        shown++;
    }
    json_close(json, ']');
}

static void put_states(struct json *json, const struct diff *diff) {
    json_line(json);
    json_flag(json, "differs", diff->differs);
    json_open(json, "counts", '{');
    for (enum diff_state state = 0; state < DIFF_STATES; state++)
        json_number(json, diff_state_name(state), diff->states[state]);
    json_number(json, "moved", diff->moved);
    json_close(json, '}');
}

void diff_json(struct out *out, const struct diff *diff, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *limits) {
    struct json json = json_begin(out, "allocsite-diff", 1);
    json_line(&json);
    loaded_json(&json, "old", old);
    json_line(&json);
    loaded_json(&json, "new", new);
    put_states(&json, diff);
    put_change(&json, &diff->old->totals, &diff->new->totals);
    put_rows(&json, diff, limits);
    json_end(&json);
}
