/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups for the terminal. */
#include "base/covers.h"
#include "dump/view/groups_columns.h"
#include "dump/view/groups_types.h"
#include "dump/view/groups_write.h"
#include "model/site_json.h"
#include "write/names.h"
#include "write/summary.h"

#include <string.h>

enum { HOLES_INDENT = 4 };

struct writing {
    struct page page;
    const struct groups *groups;
    int columns[GROUP_COLUMNS];
    size_t widths[GROUP_COLUMNS];
    size_t count;
};

static void widen(size_t *width, const char *text) {
    if (strlen(text) > *width)
        *width = strlen(text);
}

static void measure_row(struct writing *writing, const struct group *row) {
    char text[UNITS_SIZE];
    for (size_t i = 0; i < writing->count; i++) {
        groups_cell(text, writing->groups, row, writing->columns[i]);
        widen(&writing->widths[i], text);
    }
}

static void measure(struct writing *writing) {
    const struct groups *groups = writing->groups;
    writing->count = groups_columns(writing->columns, groups, writing->page.report);
    for (size_t i = 0; i < writing->count; i++)
        widen(&writing->widths[i], groups_column_name(writing->columns[i]));
    for (size_t i = 0; i < groups->shown; i++)
        measure_row(writing, &groups->rows[i]);
    if (groups->shown < groups->count)
        measure_row(writing, &groups->hidden);
}

static void put_right(struct out *out, const char *text, size_t width) {
    for (size_t used = strlen(text); used < width; used++)
        out_char(out, ' ');
    out_text(out, text);
    out_text(out, "  ");
}

static void put_head(const struct writing *writing) {
    struct out *out = writing->page.out;
    for (size_t i = 0; i < writing->count; i++)
        put_right(out, groups_column_name(writing->columns[i]), writing->widths[i]);
    out_text(out, group_by_name(writing->groups->by));
    out_char(out, '\n');
}

static void put_cells(const struct writing *writing, const struct group *row) {
    char text[UNITS_SIZE];
    for (size_t i = 0; i < writing->count; i++) {
        groups_cell(text, writing->groups, row, writing->columns[i]);
        put_right(writing->page.out, text, writing->widths[i]);
    }
}

static void put_rows(struct writing *writing) {
    const struct groups *groups = writing->groups;
    const struct page *page = &writing->page;
    measure(writing);
    put_head(writing);
    for (size_t i = 0; i < groups->shown; i++) {
        put_cells(writing, &groups->rows[i]);
        groups_put_key(page, groups->by, &groups->rows[i].key);
        groups_put_holes(page, groups, &groups->rows[i].use);
        out_char(page->out, '\n');
    }
    if (groups->shown == groups->count)
        return;
    put_cells(writing, &groups->hidden);
    groups_put_hidden(page, groups);
    out_char(page->out, '\n');
}

void groups_text(struct out *out, const struct groups *groups, const struct report *report) {
    struct writing writing = {.page = {.out = out, .report = report, .indent = HOLES_INDENT},
                              .groups = groups};
    summary_text(&writing.page);
    if (groups->by == BY_TYPE)
        groups_put_types(&writing.page, groups);
    if (groups_have_before(groups)) {
        out_text(out, "reset: ");
        groups_put_before(&writing.page, groups);
        out_char(out, '\n');
    }
    if (groups->count)
        put_rows(&writing);
}

/* ---- What the forms of groups for people have in common. */

bool groups_have_before(const struct groups *groups) {
    static const struct counters nothing;
    return memcmp(&groups->before_reset, &nothing, sizeof nothing) != 0;
}

void groups_put_before(const struct page *page, const struct groups *groups) {
    const struct report before = {.totals = {.counters = groups->before_reset}};
    summary_totals(&(struct page){.out = page->out, .report = &before});
    out_text(page->out, " before the last reset, which the rows have and the total has not");
}

static void put_thread(const struct page *page, const struct group_key *key) {
    if (key->name) {
        page_code(page, key->name);
    } else {
        out_text(page->out, "thread ");
        out_u64(page->out, key->number);
    }
    if (!page->report->several.count)
        return;
    out_text(page->out, " of pid ");
    out_u64(page->out, key->pid);
}

static void put_place(const struct page *page, const struct group_key *key) {
    const struct place place = {.file = key->name, .line = (uint32_t)key->number};
    const char *quote = page->is_markdown ? "`" : "";
    out_text(page->out, key->is_module ? "unsited in " : "");
    out_text(page->out, quote);
    place_write(page->out, &place, page->report->directory);
    out_text(page->out, quote);
}

static void put_function(const struct page *page, const char *name) {
    char text[NAME_SIZE];
    name_function(text, name);
    page_code(page, text);
}

void groups_put_key(const struct page *page, enum group_by by, const struct group_key *key) {
    bool is_place = key->is_module || by == BY_MODULE || by == BY_FILE || by == BY_LINE;
    if (by == BY_THREAD)
        put_thread(page, key);
    else if (is_place)
        put_place(page, key);
    else if (by == BY_FUNCTION)
        put_function(page, key->name);
    else if (key->name)
        page_code(page, key->name);
    else
        out_text(page->out, by == BY_PHASE ? "(no phase)" : by == BY_TYPE ? "(unknown type)" : "unknown");
}

void groups_put_hidden(const struct page *page, const struct groups *groups) {
    size_t count = groups->count - groups->shown;
    page_count(page, count, " more ", " more ");
    out_text(page->out, group_by_name(groups->by));
    out_text(page->out, count == 1 ? "" : "s");
}

void groups_write(struct out *out, const struct groups *groups, const struct report *report,
                  enum report_format format) {
    static void (*const writers[])(struct out *, const struct groups *, const struct report *) = {
        [FORMAT_TEXT] = groups_text,
        [FORMAT_JSON] = groups_json,
        [FORMAT_CSV] = groups_csv,
        [FORMAT_MARKDOWN] = groups_markdown,
    };
    COVERS(writers, FORMATS);
    writers[format](out, groups, report);
}
