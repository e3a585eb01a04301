/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as a Markdown table, for issues and pull requests. */
#include "write/columns.h"
#include "write/details.h"
#include "write/summary.h"

struct layout {
    enum column columns[COLUMNS];
    size_t count;
};

static void put_cells(const struct page *page, const struct layout *layout, const struct report_site *site) {
    char text[UNITS_SIZE];
    for (size_t i = 0; i < layout->count; i++) {
        column_cell(text, page->report, site, layout->columns[i]);
        out_text(page->out, "| ");
        out_text(page->out, text);
        out_char(page->out, ' ');
    }
    out_text(page->out, "| ");
}

static void put_head(struct out *out, const struct layout *layout) {
    for (size_t i = 0; i < layout->count; i++) {
        out_text(out, "| ");
        out_text(out, column_name(layout->columns[i]));
        out_char(out, ' ');
    }
    out_text(out, "| site |\n");
    for (size_t i = 0; i < layout->count; i++)
        out_text(out, "|---:");
    out_text(out, "|---|\n");
}

static void put_rows(const struct page *page) {
    const struct report *report = page->report;
    struct layout layout;
    layout.count = columns_of(report, layout.columns);
    put_head(page->out, &layout);
    for (size_t i = 0; i < report->shown; i++) {
        put_cells(page, &layout, report->sites[i]);
        page_site(page, report->sites[i]);
        details_of_site(page, report->sites[i]);
        out_text(page->out, " |\n");
    }
    if (!report_hidden_count(report))
        return;
    put_cells(page, &layout, &report->hidden);
    summary_hidden(page);
    out_text(page->out, " |\n");
}

void report_markdown(struct out *out, const struct report *report) {
    struct page page = {.out = out, .report = report, .is_markdown = true};
    summary_markdown(&page);
    details_of_faults(&page);
    out_char(out, '\n');
    put_rows(&page);
}
