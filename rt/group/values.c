/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups for programs: JSON, and values separated by commas or tabs. */
#include "base/out.h"
#include "group/groups.h"
#include "write/formats.h"

/* ---- Groups as JSON, and as comma-separated values. */

static void put_counters(const struct record *record, const struct report_site *sum, enum group_by by,
                         bool has_leaked) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, by, has_leaked);
    for (size_t i = 0; i < count; i++)
        if (record_begin(record, list[i].name))
            group_counter_write(record_out(record), sum, &list[i]);
}

static void put_sum(struct json *json, const char *key, const struct report_site *sum, enum group_by by,
                    bool has_leaked) {
    json_open(json, key, '{');
    put_counters(&(struct record){.json = json}, sum, by, has_leaked);
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

static void put_thread(const struct record *record, const struct group_key *key) {
    if (key->name)
        record_text(record, "thread", NULL);
    else
        record_number(record, "thread", key->number);
    record_number(record, "pid", key->pid);
}

static void put_caller(const struct record *record, const struct place *caller) {
    record_text(record, "caller", caller ? caller->function : NULL);
    record_text(record, "caller_file", caller ? caller->file : NULL);
    record_number(record, "caller_line", caller ? caller->line : 0);
}

static void put_frames(const struct record *record, const struct groups *groups, const struct report *report,
                       const struct report_stack *stack) {
    if (record->json)
        json_frames(record->json, report, stack, groups->depth);
    else if (record->is_head)
        record_begin(record, "stack");
    else {
        const struct path path = path_of(report, stack, groups->depth);
        value_stack(record->values, &path);
    }
}

static void put_stack(const struct record *record, const struct groups *groups, const struct report *report,
                      const struct group_key *key) {
    const struct site_view *view = &key->site->view;
    record_id(record, "site", view->id);
    record_text(record, "function", view->at.function);
    record_text(record, "file", view->at.file);
    record_number(record, "line", view->at.line);
    record_text(record, "type", view->type);
    if (groups->by == BY_CALLER)
        put_caller(record, key->caller);
    else
        put_frames(record, groups, report, key->stack);
}

static void put_key(const struct record *record, const struct groups *groups, const struct report *report,
                    const struct group_key *key) {
    enum group_by by = groups->by == BY_FREED ? BY_LINE : groups->by;
    if (group_by_stacks(by)) {
        put_stack(record, groups, report, key);
        return;
    }
    if (by == BY_THREAD) {
        put_thread(record, key);
        return;
    }
    record_text(record, group_by_name(by == BY_LINE ? BY_FILE : by), key->name);
    if (by == BY_LINE)
        record_number(record, "line", key->number);
    if (group_by_has_unsited(by))
        record_flag(record, "sited", !key->is_unsited);
}

static void put_inclusive(const struct record *record, const struct groups *groups, const struct group *row) {
    const struct report_site inclusive = {.counters = *group_inclusive(row)};
    struct record prefixed = *record;
    prefixed.prefix = "inclusive_";
    if (record->json)
        put_sum(record->json, "inclusive", &inclusive, groups->by, false);
    else
        put_counters(&prefixed, &inclusive, groups->by, false);
}

static void put_row(const struct record *record, const struct groups *groups, const struct report *report,
                    const struct group *row) {
    if (groups->focus)
        record_text(record, "role", group_role_name(row->key.role));
    put_key(record, groups, report, &row->key);
    put_counters(record, &row->sum, groups->by, report->reach && !groups->focus);
    if (group_by_parts(groups->by)) {
        record_number(record, "peak_bytes", row->peak.bytes);
        record_number(record, "peak_within", row->peak.within);
        record_number(record, "peak_time_ms", row->peak.time / 1000000);
    }
    if (groups->inclusive)
        put_inclusive(record, groups, row);
    if (groups->by == BY_TYPE)
        type_use_write(record, &row->use);
}

void groups_json(struct out *out, const struct groups *groups, const struct report *report) {
    struct json json = json_begin(out, "allocsite-groups", 1);
    put_head(&json, groups, report);
    json_number(&json, "rows_left_out", groups->count - groups->shown);
    json_open_line(&json, "rows", '[');
    for (size_t i = 0; i < groups->shown; i++) {
        json_open_line(&json, NULL, '{');
        put_row(&(struct record){.json = &json}, groups, report, &groups->rows[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

void groups_csv(struct out *out, const struct groups *groups, const struct report *report) {
    static const struct report_site no_site;
    static const struct group none = {.key.site = &no_site};
    struct values values = values_csv(out);
    put_row(&(struct record){.values = &values, .is_head = true}, groups, report, &none);
    values_end(&values);
    for (size_t i = 0; i < groups->shown; i++) {
        put_row(&(struct record){.values = &values}, groups, report, &groups->rows[i]);
        values_end(&values);
    }
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
