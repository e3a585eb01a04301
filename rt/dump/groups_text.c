/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups for the terminal. */
#include "groups_columns.h"
#include "groups_types.h"
#include "groups_write.h"

#include "../lib/report_summary.h"

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
