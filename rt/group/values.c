/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups for programs: JSON, and values separated by commas or tabs. */
#include "base/out.h"
#include "group/groups.h"
#include "write/formats.h"

/* ---- Groups as JSON. */

static void put_counters(struct json *json, const struct report_site *sum, enum group_by by,
                         bool has_leaked) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, by, has_leaked);
    for (size_t i = 0; i < count; i++) {
        json_key(json, list[i].name);
        group_counter_write(json->out, sum, &list[i]);
    }
}

static void put_sum(struct json *json, const char *key, const struct report_site *sum, enum group_by by,
                    bool has_leaked) {
    json_open(json, key, '{');
    put_counters(json, sum, by, has_leaked);
    json_close(json, '}');
}

static void put_head(struct json *json, const struct groups *groups, const struct report *report) {
    json_text(json, "by", group_by_name(groups->by));
    if (groups->focus)
        json_text(json, "focus", groups->focus);
    json_head(json, report);
    put_sum(json, "totals", &report->totals, BY_SITE, report->reach);
    json_number(json, "peak_within", report->peak_within);
    if (groups->by == BY_TYPE)
        groups_types_json(json, groups);
    if (!groups_have_before(groups))
        return;
    struct report_site before = {.counters = groups->before_reset};
    put_sum(json, "before_reset", &before, groups->by, false);
}

static void put_thread(struct json *json, const struct group_key *key) {
    if (key->name)
        json_text(json, "thread", NULL);
    else
        json_number(json, "thread", key->number);
    json_number(json, "pid", key->pid);
}

static void json_caller(struct json *json, const struct place *caller) {
    json_text(json, "caller", caller ? caller->function : NULL);
    json_text(json, "caller_file", caller ? caller->file : NULL);
    json_number(json, "caller_line", caller ? caller->line : 0);
}

static void put_stack(struct json *json, const struct groups *groups, const struct report *report,
                      const struct group_key *key) {
    json_id(json, "site", key->site->view.id);
    json_text(json, "function", key->site->view.at.function);
    json_text(json, "file", key->site->view.at.file);
    json_number(json, "line", key->site->view.at.line);
    json_text(json, "type", key->site->view.type);
    if (groups->by == BY_CALLER)
        json_caller(json, key->caller);
    else
        json_frames(json, report, key->stack, groups->depth);
}

static void put_key(struct json *json, const struct groups *groups, const struct report *report,
                    const struct group_key *key) {
    enum group_by by = groups->by == BY_FREED ? BY_LINE : groups->by;
    if (group_by_stacks(by)) {
        put_stack(json, groups, report, key);
        return;
    }
    if (by == BY_THREAD) {
        put_thread(json, key);
        return;
    }
    json_text(json, group_by_name(by == BY_LINE ? BY_FILE : by), key->name);
    if (by == BY_LINE)
        json_number(json, "line", key->number);
    if (group_by_has_unsited(by))
        json_flag(json, "sited", !key->is_unsited);
}

static void put_row(struct json *json, const struct groups *groups, const struct report *report,
                    const struct group *row) {
    bool has_leaked = report->reach && !groups->focus;
    const struct report_site inclusive = {.counters = *group_inclusive(row)};
    json_open_line(json, NULL, '{');
    if (groups->focus)
        json_text(json, "role", group_role_name(row->key.role));
    put_key(json, groups, report, &row->key);
    put_counters(json, &row->sum, groups->by, has_leaked);
    if (group_by_parts(groups->by)) {
        json_number(json, "peak_bytes", row->peak.bytes);
        json_number(json, "peak_within", row->peak.within);
        json_number(json, "peak_time_ms", row->peak.time / 1000000);
    }
    if (groups->inclusive)
        put_sum(json, "inclusive", &inclusive, groups->by, false);
    if (groups->by == BY_TYPE)
        type_use_json(json, &row->use);
    json_close(json, '}');
}

void groups_json(struct out *out, const struct groups *groups, const struct report *report) {
    struct json json = json_begin(out, "allocsite-groups", 1);
    put_head(&json, groups, report);
    json_number(&json, "rows_left_out", groups->count - groups->shown);
    json_open_line(&json, "rows", '[');
    for (size_t i = 0; i < groups->shown; i++)
        put_row(&json, groups, report, &groups->rows[i]);
    json_close(&json, ']');
    json_end(&json);
}

/* ---- Groups as comma-separated values. */

static void key_names(struct out *out, enum group_by by) {
    if (group_by_stacks(by)) {
        out_text(out, "site,function,file,line,type,");
        out_text(out, by == BY_STACK ? "stack" : "caller,caller_file,caller_line");
        return;
    }
    out_text(out, by == BY_LINE || by == BY_FREED ? "file,line" : group_by_name(by));
    if (by == BY_THREAD)
        out_text(out, ",pid");
    if (group_by_has_unsited(by))
        out_text(out, ",sited");
}

static void value_caller(struct values *values, const struct place *caller) {
    static const struct place unknown;
    caller = caller ? caller : &unknown;
    value_text(values, caller->function);
    value_text(values, caller->file);
    value_number(values, caller->line);
}

static void stack(struct values *values, const struct groups *groups, const struct report *report,
                  const struct group_key *key) {
    const struct site_view *view = &key->site->view;
    const struct path path = path_of(report, key->stack, groups->depth);
    value_id(values, view->id);
    value_text(values, view->at.function);
    value_text(values, view->at.file);
    value_number(values, view->at.line);
    value_text(values, view->type);
    if (groups->by == BY_CALLER)
        value_caller(values, key->caller);
    else
        value_stack(values, &path);
}

static void key_values(struct values *values, const struct groups *groups, const struct report *report,
                       const struct group_key *key) {
    enum group_by by = groups->by;
    if (group_by_stacks(by)) {
        stack(values, groups, report, key);
    } else if (by == BY_THREAD) {
        value_begin(values);
        if (!key->name)
            out_u64(values->out, key->number);
        value_number(values, key->pid);
    } else {
        value_text(values, key->name);
        if (by == BY_LINE || by == BY_FREED)
            value_number(values, key->number);
        if (group_by_has_unsited(by))
            value_number(values, !key->is_unsited);
    }
}

static void counter_names(struct out *out, const char *prefix, enum group_by by, bool has_leaked) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, by, has_leaked);
    for (size_t i = 0; i < count; i++)
        out_print(out, ",%s%s", prefix, list[i].name);
}

static void counter_values(struct values *values, const struct report_site *sum, enum group_by by,
                           bool has_leaked) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, by, has_leaked);
    for (size_t i = 0; i < count; i++) {
        value_begin(values);
        group_counter_write(values->out, sum, &list[i]);
    }
}

static void csv_row(struct values *values, const struct groups *groups, const struct report *report,
                    const struct group *row) {
    bool has_leaked = report->reach && !groups->focus;
    const struct report_site inclusive = {.counters = *group_inclusive(row)};
    if (groups->focus)
        value_text(values, group_role_name(row->key.role));
    key_values(values, groups, report, &row->key);
    counter_values(values, &row->sum, groups->by, has_leaked);
    if (groups->inclusive)
        counter_values(values, &inclusive, groups->by, false);
    if (group_by_parts(groups->by)) {
        value_number(values, row->peak.bytes);
        value_number(values, row->peak.within);
        value_number(values, row->peak.time / 1000000);
    }
    if (groups->by == BY_TYPE)
        type_use_values(values, &row->use);
    values_end(values);
}

void groups_csv(struct out *out, const struct groups *groups, const struct report *report) {
    struct values values = values_csv(out);
    out_text(out, groups->focus ? "role," : "");
    key_names(out, groups->by);
    counter_names(out, "", groups->by, report->reach && !groups->focus);
    if (groups->inclusive)
        counter_names(out, "inclusive_", groups->by, false);
    out_text(out, group_by_parts(groups->by) ? ",peak_bytes,peak_within,peak_time_ms" : "");
    out_text(out, groups->by == BY_TYPE ? ",size,padding,padding_bytes,live_padding_bytes" : "");
    values_end(&values);
    for (size_t row = 0; row < groups->shown; row++)
        csv_row(&values, groups, report, &groups->rows[row]);
}

/* ---- Groups as values separated by tabs. */

static void stack_tsv(struct values *values, const struct groups *groups, const struct report *report,
                      const struct group_key *key) {
    const struct path path = path_of(report, key->stack, groups->depth);
    value_site(values, &key->site->view);
    if (key->caller)
        value_text(values, key->caller->function);
    value_callers(values, &path);
}

static void key_tsv(struct values *values, const struct groups *groups, const struct report *report,
                    const struct group_key *key) {
    bool is_thread = groups->by == BY_THREAD;
    if (group_by_stacks(groups->by)) {
        stack_tsv(values, groups, report, key);
        return;
    }
    value_text(values, key->name ? key->name : is_thread ? NULL : group_unnamed(groups->by));
    if (key->number)
        out_print(values->out, "%s%lu", is_thread ? "" : ":", key->number);
}

void groups_tsv(struct out *out, const struct groups *groups, const struct report *report) {
    struct values values = values_tsv(out, groups->shown);
    for (size_t i = 0; i < groups->shown; i++) {
        value_amounts(&values, &groups->rows[i].sum.counters, groups->by == BY_FREED);
        if (groups->inclusive)
            value_amounts(&values, group_inclusive(&groups->rows[i]), false);
        if (groups->focus)
            value_text(&values, group_role_name(groups->rows[i].key.role));
        key_tsv(&values, groups, report, &groups->rows[i].key);
        values_end(&values);
    }
}
