/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups as a Markdown table. */
#include "dump/view/groups_columns.h"
#include "dump/view/groups_types.h"
#include "dump/view/groups_write.h"
#include "write/summary.h"

struct writing {
    struct page page;
    const struct groups *groups;
    int columns[GROUP_COLUMNS];
    size_t count;
};

static void put_cell(struct out *out, const char *text) {
    out_text(out, "| ");
    out_text(out, text);
    out_char(out, ' ');
}

static void put_cells(const struct writing *writing, const struct group *row) {
    char text[UNITS_SIZE];
    for (size_t i = 0; i < writing->count; i++) {
        groups_cell(text, writing->groups, row, writing->columns[i]);
        put_cell(writing->page.out, text);
    }
    out_text(writing->page.out, "| ");
}

static void put_head(const struct writing *writing) {
    struct out *out = writing->page.out;
    for (size_t i = 0; i < writing->count; i++)
        put_cell(out, groups_column_name(writing->columns[i]));
    put_cell(out, group_by_name(writing->groups->by));
    out_text(out, "|\n");
    for (size_t i = 0; i < writing->count; i++)
        out_text(out, "|---:");
    out_text(out, "|---|\n");
}

static void put_rows(struct writing *writing) {
    const struct groups *groups = writing->groups;
    const struct page *page = &writing->page;
    writing->count = groups_columns(writing->columns, groups, page->report);
    put_head(writing);
    for (size_t i = 0; i < groups->shown; i++) {
        put_cells(writing, &groups->rows[i]);
        groups_put_key(page, groups->by, &groups->rows[i].key);
        groups_put_holes(page, groups, &groups->rows[i].use);
        out_text(page->out, " |\n");
    }
    if (groups->shown == groups->count)
        return;
    put_cells(writing, &groups->hidden);
    groups_put_hidden(page, groups);
    out_text(page->out, " |\n");
}

void groups_markdown(struct out *out, const struct groups *groups, const struct report *report) {
    struct writing writing = {.page = {.out = out, .report = report, .is_markdown = true}, .groups = groups};
    summary_markdown(&writing.page);
    if (groups->by == BY_TYPE)
        groups_put_types(&writing.page, groups);
    if (groups_have_before(groups)) {
        out_text(out, "\nReset: ");
        groups_put_before(&writing.page, groups);
        out_text(out, ".\n");
    }
    out_char(out, '\n');
    put_rows(&writing);
}
