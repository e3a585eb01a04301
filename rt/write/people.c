/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report for people: for the terminal, and as a Markdown table for issues and pull requests. */
#include "write/columns.h"
#include "write/formats.h"
#include "write/line.h"
#include "write/summary.h"

#include <string.h>

static void cell(char text[GRID_CELL], const void *report, const void *row, int column) {
    if (row)
        column_cell(text, report, row, (enum column)column);
    else
        strcpy(text, column_name((enum column)column));
}

static void measure(struct grid *grid, const struct report *report) {
    grid_measure(grid, NULL);
    for (size_t i = 0; i < report->shown; i++)
        grid_measure(grid, report->sites[i]);
    if (report_hidden_count(report))
        grid_measure(grid, &report->hidden);
    if (report->apart_count)
        grid_measure(grid, &report->apart);
    columns_narrow(grid, &report->limits);
}

static void put_row(const struct page *page, const struct grid *grid, const struct report_site *site) {
    struct line line;
    grid_row(grid, site);
    line_begin(&line, page, grid_width(grid), page->indent);
    page_site(&line.page, site);
    line_end(&line);
    details_of_site(page, site);
    grid_end(page);
}

static void put_hidden(const struct page *page, const struct grid *grid) {
    grid_row(grid, &page->report->hidden);
    summary_hidden(page);
    grid_end(page);
}

static void put_apart(const struct page *page, const struct grid *grid) {
    grid_row(grid, &page->report->apart);
    out_text(page->out, "start-up and stdio");
    details_of_apart(page);
    grid_end(page);
}

static void put_rows(struct page *page) {
    const struct report *report = page->report;
    struct grid grid = {.page = page, .cell = cell, .context = report};
    grid.count = columns_of(report, grid.columns);
    measure(&grid, report);
    page->indent = grid_indent(&grid);
    grid_head(&grid, "site");
    for (size_t i = 0; i < report->shown; i++)
        put_row(page, &grid, report->sites[i]);
    if (report_hidden_count(report))
        put_hidden(page, &grid);
    if (report->apart_count)
        put_apart(page, &grid);
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
