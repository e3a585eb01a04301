/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a report against a budget, and writes a budget. */
#include "dump/compare/check.h"

#include "base/path.h"
#include "base/words.h"
#include "dump/base/hash_index.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/load/loaded.h"
#include "model/report.h"
#include "write/lines.h"
#include "write/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Broken limits as text. */

/* Largest sites of a broken limit. */
enum { SITES_SHOWN = 5 };

static void put_sites(struct page *page, const struct check *check, const struct verdict *verdict) {
    const struct report_site *sites[SITES_SHOWN];
    size_t count = check_largest(check, verdict, sites, SITES_SHOWN);
    struct grid grid = {
        .page = page, .cell = measure_cell, .columns = {(int)verdict->limit->measure}, .count = 1};
    for (size_t i = 0; i < count; i++)
        grid_measure(&grid, sites[i]);
    page->indent = grid_width(&grid) + 4;
    for (size_t i = 0; i < count; i++) {
        out_text(page->out, "  ");
        grid_row(&grid, sites[i]);
        page_site(page, sites[i]);
        page_chain(page, sites[i]);
        details_of_way(page, sites[i], page_break);
        grid_end(page);
    }
    if (verdict->sites <= count)
        return;
    out_text(page->out, "  ");
    page_count(page, verdict->sites - count, " more site\n", " more sites\n");
}

void check_say_limit(struct out *out, const struct limit *limit) {
    out_text(out, budget_kind_name(limit->kind));
    if (limit->pattern) {
        out_char(out, ' ');
        out_plain(out, limit->pattern);
    }
    out_print(out, ": %s", measure_name(limit->measure));
}

void check_say(struct out *out, const struct verdict *verdict) {
    const struct limit *limit = verdict->limit;
    check_say_limit(out, limit);
    out_char(out, ' ');
    measure_write(out, verdict->actual, limit->measure);
    out_text(out, ", limit ");
    measure_write(out, limit->most, limit->measure);
    out_text(out, ", over by ");
    measure_write(out, verdict->actual - limit->most, limit->measure);
}

/* "app.budget:3: function parse_*: allocs 1,204, limit 100, over by 1,104" */
static void put_broken(struct page *page, const struct check *check, const struct verdict *verdict) {
    out_plain(page->out, check->budget_path);
    out_print(page->out, ":%u: ", verdict->limit->line);
    check_say(page->out, verdict);
    out_char(page->out, '\n');
    put_sites(page, check, verdict);
}

void check_text(struct out *out, const struct check *check) {
    struct page page = {.out = out, .report = check->loaded->report};
    loaded_doubts_text(out, check->loaded);
    for (size_t i = 0; i < check->count; i++)
        if (!check->verdicts[i].is_kept)
            put_broken(&page, check, &check->verdicts[i]);
    out_plain(out, check->loaded->path);
    out_text(out, ": ");
    if (check->broken)
        out_print(out, "%lu of ", check->broken);
    page_count(&page, check->count, " limit", " limits");
    out_text(out, check->broken ? " broken\n" : check->count == 1 ? " kept\n" : ", all kept\n");
}

/* ---- Writing a budget. */

struct budget_writing {
    struct out *out;
    const struct subjects *subjects;
    uint64_t slack;
};

/* Rounds up, and saturates. */
static uint64_t with_slack(uint64_t amount, uint64_t percent) {
    unsigned __int128 sum = amount + ((unsigned __int128)amount * percent + 99) / 100;
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

static void put_limit(const struct budget_writing *writing, enum measure measure, uint64_t amount) {
    char text[AMOUNT_SIZE];
    amount_write(text, with_slack(amount, writing->slack), measure_is_bytes(measure));
    out_print(writing->out, "  %s <= %s", measure_name(measure), text);
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

/* The innermost function outside system headers: for a container, the function that uses it. */
static const char *own_function(const struct report_site *site) {
    const struct site_view *view = &site->view;
    const struct place *place = &view->at;
    for (size_t i = 0; i < view->inlined_count && is_of_the_system(place->file); i++)
        place = &view->inlined[i];
    return is_of_the_system(place->file) ? NULL : place->function;
}

/* The pattern for the site's limit; NULL: the site has none of this kind. */
static const char *pattern_of(const struct report_site *site, enum budget_kind kind) {
    const char *pattern = kind == BUDGET_STACK                            ? site->way
                          : site->view.sited != (kind == BUDGET_FUNCTION) ? NULL
                          : site->view.sited                              ? own_function(site)
                                                                          : path_base(site->view.module);
    return pattern && *pattern ? pattern : NULL;
}

/* Sites are sorted by bytes. A line for several sites is written at the first of them. */
static void put_lines(const struct budget_writing *writing, enum budget_kind kind, uint64_t most) {
    const struct report *report = subjects_for(writing->subjects, kind)->report;
    struct string_pool patterns = {.count = 0};
    for (size_t i = 0; i < report->counted && patterns.count < most; i++) {
        const char *pattern = pattern_of(report->sites[i], kind);
        size_t before = patterns.count;
        string_keep(&patterns, pattern);
        if (patterns.count > before)
            put_line(writing, kind, pattern);
    }
    string_pool_free(&patterns);
}

static void put_head(struct out *out, const struct report *report, uint64_t slack) {
    out_text(out, "# ");
    out_plain(out, report->program);
    out_print(out, ", plus %lu%%\n", slack);
}

static void put_line_option(struct out *out, const char *name, const char *value) {
    if (!*value)
        return;
    out_print(out, "%s  ", name);
    budget_write_pattern(out, value);
    out_char(out, '\n');
}

static void put_line_options(struct out *out, const struct line_options *line) {
    put_line_option(out, "line", line->choice == LINE_AUTO ? "" : line_choice_name(line->choice));
    put_line_option(out, "skip", line->skip);
    put_line_option(out, "stop", line->stop);
}

void check_write_budget(struct out *out, const struct subjects *subjects, const struct line_options *line,
                        uint64_t slack, uint64_t top) {
    struct budget_writing writing = {out, subjects, slack};
    put_head(out, subjects->report, slack);
    put_line_options(out, line);
    put_line(&writing, BUDGET_TOTAL, NULL);
    put_lines(&writing, subjects->stacks ? BUDGET_STACK : BUDGET_FUNCTION, top ?: UINT64_MAX);
    if (!subjects->stacks)
        put_lines(&writing, BUDGET_UNSITED, UINT64_MAX);
}

/* ---- Broken limits as JSON. */

/* Largest sites of a limit. */
enum { SITES_LISTED = 10 };

static void sites_json(struct json *json, const struct check *check, const struct verdict *verdict) {
    const struct report_site *sites[SITES_LISTED];
    size_t count = check_largest(check, verdict, sites, SITES_LISTED);
    json_open(json, "largest", '[');
    for (size_t i = 0; i < count; i++) {
        json->space = "\n  ";
        json_open(json, NULL, '{');
        json_site(json, &sites[i]->view);
        json_number(json, "actual", measure_of(sites[i], verdict->limit->measure));
        json_way(json, check->loaded->report, sites[i]);
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
    sites_json(json, check, verdict);
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

/* ---- Checking a report. */

static uint64_t add_saturated(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

struct check_sum check_sum(const struct subjects *subjects, const struct limit *limit) {
    const struct report_site *totals = &subjects->report->totals;
    struct check_sum sum = {.sites = 0};
    size_t *covered = subjects_covered(subjects, limit, &sum.sites);
    const struct subject *list = subjects_for(subjects, limit->kind)->list;
    for (size_t i = 0; i < sum.sites; i++)
        for (enum measure measure = 0; measure < MEASURES; measure++)
            sum.amounts[measure] =
                add_saturated(sum.amounts[measure], measure_of(list[covered[i]].site, measure));
    free(covered);
    /* totals include sites that were left out */
    for (enum measure measure = 0; limit->kind == BUDGET_TOTAL && measure < MEASURES; measure++)
        sum.amounts[measure] = measure_of(totals, measure);
    return sum;
}

/* Limits of one line share the pattern's pointer. */
static bool has_same_sites(const struct limit *a, const struct limit *b) {
    return a->line == b->line && a->pattern == b->pattern;
}

static void judge_limits(struct check *check, const struct limit *limits) {
    struct check_sum sum;
    for (size_t i = 0; i < check->count; i++) {
        const struct limit *limit = &limits[i];
        if (!i || !has_same_sites(limit - 1, limit))
            sum = check_sum(check->subjects, limit);
        uint64_t actual = sum.amounts[limit->measure];
        check->verdicts[i] = (struct verdict){limit, actual, sum.sites, actual <= limit->most};
        check->broken += actual > limit->most;
    }
}

void check_make(struct check *check, const struct budget *budget, const char *budget_path,
                const struct loaded *loaded, const struct subjects *subjects) {
    *check = (struct check){.budget_path = budget_path, .loaded = loaded, .subjects = subjects};
    check->verdicts = memory_zeros(budget->count, sizeof *check->verdicts);
    check->count = budget->count;
    judge_limits(check, budget->limits);
}

void check_free(struct check *check) {
    free(check->verdicts);
}

static bool is_larger(const struct report_site *a, const struct report_site *b, enum measure measure) {
    uint64_t left = measure_of(a, measure), right = measure_of(b, measure);
    return left > right || (left == right && order_identity(a, b) < 0);
}

size_t check_largest(const struct check *check, const struct verdict *verdict,
                     const struct report_site **sites, size_t max) {
    enum measure measure = verdict->limit->measure;
    size_t count = 0, of;
    size_t *covered = subjects_covered(check->subjects, verdict->limit, &of);
    const struct subject *list = subjects_for(check->subjects, verdict->limit->kind)->list;
    for (size_t i = 0; i < of; i++) {
        const struct report_site *site = list[covered[i]].site;
        if (!measure_of(site, measure))
            continue;
        size_t at = count < max ? count++ : max;
        for (; at && is_larger(site, sites[at - 1], measure); at--)
            if (at < max)
                sites[at] = sites[at - 1];
        if (at < max)
            sites[at] = site;
    }
    free(covered);
    return count;
}

static void complain_line(const struct check *check, const struct limit *limit, const char *before,
                          const char *after) {
    char place[512];
    snprintf(place, sizeof place, "%s:%u", check->budget_path, limit->line);
    complain_file(place, "warning: %s of %s %s", before, check->loaded->path, after);
}

/* Complains once per line, which may have several limits. A report contains no site without allocations, so a
 * limit of 0 need not match any. */
static void complain_unmatched(const struct check *check) {
    unsigned last_line = 0;
    for (size_t i = 0; i < check->count; i++) {
        const struct limit *limit = check->verdicts[i].limit;
        if (check->verdicts[i].sites || !limit->most || !limit->pattern || limit->line == last_line)
            continue;
        complain_line(check, limit, "no site", "matches this line");
        last_line = limit->line;
    }
}

static bool has_measure(const struct check *check, enum measure measure) {
    for (size_t i = 0; i < check->count; i++)
        if (check->verdicts[i].limit->measure == measure)
            return true;
    return false;
}

/* The peak of several threads is only known to be within an interval. */
static void complain_uncertain(const struct check *check) {
    uint64_t within = check->loaded->report->peak_within;
    for (size_t i = 0; i < check->count; i++) {
        const struct verdict *verdict = &check->verdicts[i];
        if (verdict->is_kept && verdict->limit->kind == BUDGET_TOTAL &&
            verdict->limit->measure == MEASURE_PEAK &&
            add_saturated(verdict->actual, within) > verdict->limit->most)
            complain_line(check, verdict->limit, "the true peak", "may exceed this limit");
    }
}

int check_complain(const struct check *check) {
    const struct loaded *loaded = check->loaded;
    bool no_reach = !loaded->report->reach && has_measure(check, MEASURE_LEAKED);
    bool is_of_owners = has_measure(check, MEASURE_LIVE) || has_measure(check, MEASURE_PEAK) ||
                        has_measure(check, MEASURE_BLOCKS);
    complain_unmatched(check);
    complain_uncertain(check);
    if (no_reach)
        complain_file(loaded->path,
                      "does not know leaked blocks: run the program with ALLOCSITE_OPTIONS=reach=1");
    int unowned = is_of_owners ? laws_need_owners(loaded->path, loaded->report) : STATUS_DONE;
    int unstacked =
        check->subjects->stacks ? laws_need_stacks(loaded->path, loaded->report->walks.depth) : STATUS_DONE;
    return no_reach ? STATUS_FAILED : unowned | unstacked;
}
