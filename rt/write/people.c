/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report for people: for the terminal, and as a Markdown table for issues and pull requests. */
#include "write/columns.h"
#include "write/formats.h"
#include "write/grid.h"
#include "write/summary.h"

#include <string.h>

struct layout {
    const struct report *report;
    enum column columns[COLUMNS];
};

static void cell(char text[GRID_CELL], const void *context, const void *row, size_t column) {
    const struct layout *layout = context;
    if (row)
        column_cell(text, layout->report, row, layout->columns[column]);
    else
        strcpy(text, column_name(layout->columns[column]));
}

static void measure(struct grid *grid, const struct report *report) {
    grid_measure(grid, NULL);
    for (size_t i = 0; i < report->shown; i++)
        grid_measure(grid, report->sites[i]);
    if (report_hidden_count(report))
        grid_measure(grid, &report->hidden);
}

static void put_rows(struct page *page) {
    const struct report *report = page->report;
    struct layout layout = {.report = report};
    struct grid grid = {page, cell, &layout, columns_of(report, layout.columns), {0}};
    measure(&grid, report);
    page->indent = grid_width(&grid) + 2;
    grid_head(&grid, "site");
    for (size_t i = 0; i < report->shown; i++) {
        grid_row(&grid, report->sites[i]);
        page_site(page, report->sites[i]);
        details_of_site(page, report->sites[i]);
        grid_end(page);
    }
    if (!report_hidden_count(report))
        return;
    grid_row(&grid, &report->hidden);
    summary_hidden(page);
    grid_end(page);
}

void report_text(struct out *out, const struct report *report) {
    struct page page = {.out = out, .report = report};
    summary_text(&page);
    details_of_faults(&page);
    if (report->counted + report->left_out)
        put_rows(&page);
}

void report_markdown(struct out *out, const struct report *report) {
    struct page page = {.out = out, .report = report, .is_markdown = true};
    summary_markdown(&page);
    details_of_faults(&page);
    out_char(out, '\n');
    put_rows(&page);
}
