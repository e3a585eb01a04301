/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups as JSON. */
#include "write/json.h"
#include "group/write.h"

static void put_counters(struct json *json, const struct report_site *sum, enum group_by by, bool has_lost) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, by, has_lost);
    for (size_t i = 0; i < count; i++) {
        json_key(json, list[i].name);
        group_counter_write(json->out, sum, &list[i]);
    }
}

static void put_sum(struct json *json, const char *key, const struct report_site *sum, enum group_by by,
                    bool has_lost) {
    json_open(json, key, '{');
    put_counters(json, sum, by, has_lost);
    json_close(json, '}');
}

static void put_head(struct json *json, const struct groups *groups, const struct report *report) {
    json_text(json, "by", group_by_name(groups->by));
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

static void put_stack(struct json *json, const struct groups *groups, const struct group_key *key) {
    json_id(json, "site", key->site->view.id);
    json_text(json, "function", key->site->view.at.function);
    json_text(json, "file", key->site->view.at.file);
    json_number(json, "line", key->site->view.at.line);
    json_text(json, "type", key->site->view.type);
    json_frames(json, key->stack, group_frames(groups, key));
}

static void put_key(struct json *json, const struct groups *groups, const struct group_key *key) {
    enum group_by by = groups->by == BY_FREED ? BY_LINE : groups->by;
    if (by == BY_STACK) {
        put_stack(json, groups, key);
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

static void put_row(struct json *json, const struct groups *groups, const struct group *row, bool has_lost) {
    json_line(json);
    json_open(json, NULL, '{');
    put_key(json, groups, &row->key);
    put_counters(json, &row->sum, groups->by, has_lost);
    if (groups->by == BY_TYPE)
        type_use_json(json, &row->use);
    json_close(json, '}');
}

void groups_json(struct out *out, const struct groups *groups, const struct report *report) {
    struct json json = json_begin(out, "allocsite-groups", 1);
    put_head(&json, groups, report);
    json_number(&json, "rows_left_out", groups->count - groups->shown);
    json_line(&json);
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < groups->shown; i++)
        put_row(&json, groups, &groups->rows[i], report->reach);
    json_close(&json, ']');
    json_end(&json);
}
