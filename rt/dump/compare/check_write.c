/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A budget to begin with. */
#include "base/amount.h"
#include "base/path.h"
#include "dump/base/hash_index.h"
#include "dump/compare/check.h"

#include <string.h>

struct budget_writing {
    struct out *out;
    const struct subjects *subjects;
    uint64_t slack;
};

/* Rounded up. More than there can be is as much as there can be. */
static uint64_t with_slack(uint64_t amount, uint64_t percent) {
    unsigned __int128 sum = amount + ((unsigned __int128)amount * percent + 99) / 100;
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

static void put_limit(const struct budget_writing *writing, enum measure measure, uint64_t amount) {
    char text[AMOUNT_SIZE];
    amount_write(text, with_slack(amount, writing->slack), measure_is_bytes(measure));
    out_text(writing->out, "  ");
    out_text(writing->out, measure_name(measure));
    out_text(writing->out, " <= ");
    out_text(writing->out, text);
}

static void put_line(const struct budget_writing *writing, enum budget_kind kind, const char *pattern) {
    struct check_sum sum = check_sum(writing->subjects, &(struct limit){.kind = kind, .pattern = pattern});
    out_text(writing->out, budget_kind_name(kind));
    if (pattern) {
        out_char(writing->out, ' ');
        budget_write_pattern(writing->out, pattern);
    }
    for (enum measure measure = 0; measure < MEASURE_SORTS; measure++)
        put_limit(writing, measure, sum.amounts[measure]);
    out_char(writing->out, '\n');
}

static bool is_of_the_system(const char *file) {
    return file && path_is_of_system(file);
}

/* The innermost function that is the program's own: of a container, the one that uses it. */
static const char *own_function(const struct report_site *site) {
    const struct site_view *view = &site->view;
    const struct place *place = &view->at;
    for (size_t i = 0; i < view->inlined_count && is_of_the_system(place->file); i++)
        place = &view->inlined[i];
    return is_of_the_system(place->file) ? NULL : place->function;
}

/* The pattern that the site's line would begin with; NULL: none. */
static const char *pattern_of(const struct report_site *site) {
    const char *pattern = site->view.sited ? own_function(site) : path_base(site->view.module);
    return pattern && *pattern ? pattern : NULL;
}

/* A line for several sites stands where the first of them does, and the sites are sorted by bytes. */
static void put_lines(const struct budget_writing *writing, enum budget_kind kind, uint64_t most) {
    const struct report *report = writing->subjects->report;
    struct string_pool patterns = {.count = 0};
    for (size_t i = 0; i < report->counted && patterns.count < most; i++) {
        const char *pattern = pattern_of(report->sites[i]);
        size_t before = patterns.count;
        if (report->sites[i]->view.sited == (kind == BUDGET_FUNCTION))
            string_keep(&patterns, pattern);
        if (patterns.count > before)
            put_line(writing, kind, pattern);
    }
    string_pool_free(&patterns);
}

static void put_head(struct out *out, const struct report *report, uint64_t slack) {
    out_text(out, "# ");
    out_plain(out, report->program);
    out_text(out, ", plus ");
    out_u64(out, slack);
    out_text(out, "%\n");
}

void check_write_budget(struct out *out, const struct subjects *subjects, uint64_t slack, uint64_t top) {
    struct budget_writing writing = {out, subjects, slack};
    put_head(out, subjects->report, slack);
    put_line(&writing, BUDGET_TOTAL, NULL);
    put_lines(&writing, BUDGET_FUNCTION, top ?: UINT64_MAX);
    put_lines(&writing, BUDGET_UNSITED, UINT64_MAX);
}

/* ---- The excess of a report over its budget, for programs. */

/* Of the sites that make up a limit. */
enum { SITES_SHOWN = 10 };

static void put_sites(struct json *json, const struct check *check, const struct verdict *verdict) {
    const struct report_site *sites[SITES_SHOWN];
    size_t count = check_largest(check, verdict, sites, SITES_SHOWN);
    json_open(json, "largest", '[');
    for (size_t i = 0; i < count; i++) {
        json->space = "\n  ";
        json_open(json, NULL, '{');
        json_site(json, &sites[i]->view);
        json_number(json, "actual", measure_of(sites[i], verdict->limit->measure));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_verdict(struct json *json, const struct check *check, const struct verdict *verdict) {
    const struct limit *limit = verdict->limit;
    json_line(json);
    json_open(json, NULL, '{');
    json_number(json, "line", limit->line);
    json_text(json, "kind", budget_kind_name(limit->kind));
    json_text(json, "pattern", limit->pattern);
    json_text(json, "measure", measure_name(limit->measure));
    json_number(json, "limit", limit->most);
    json_number(json, "actual", verdict->actual);
    json_flag(json, "kept", verdict->is_kept);
    json_number(json, "sites", verdict->sites);
    put_sites(json, check, verdict);
    json_close(json, '}');
}

void check_json(struct out *out, const struct check *check) {
    struct json json = json_begin(out, "allocsite-check", 1);
    json_text(&json, "budget", check->budget_path);
    json_line(&json);
    loaded_json(&json, "report", check->loaded);
    json_line(&json);
    json_number(&json, "broken", check->broken);
    json_open(&json, "limits", '[');
    for (size_t i = 0; i < check->count; i++)
        put_verdict(&json, check, &check->verdicts[i]);
    json_close(&json, ']');
    json_end(&json);
}
