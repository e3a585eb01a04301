/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report for the terminal. */
#include "write/columns.h"
#include "write/details.h"
#include "write/summary.h"

#include <string.h>

struct layout {
    enum column columns[COLUMNS];
    size_t widths[COLUMNS];
    size_t count;
};

static void put_right(struct out *out, const char *text, size_t width) {
    for (size_t used = strlen(text); used < width; used++)
        out_char(out, ' ');
    out_text(out, text);
}

static void widen(struct layout *layout, const struct report *report, const struct report_site *site) {
    char text[UNITS_SIZE];
    for (size_t i = 0; i < layout->count; i++) {
        column_cell(text, report, site, layout->columns[i]);
        if (strlen(text) > layout->widths[i])
            layout->widths[i] = strlen(text);
    }
}

static void measure(struct layout *layout, const struct report *report) {
    layout->count = columns_of(report, layout->columns);
    for (size_t i = 0; i < layout->count; i++)
        layout->widths[i] = strlen(column_name(layout->columns[i]));
    for (size_t i = 0; i < report->shown; i++)
        widen(layout, report, report->sites[i]);
    if (report_hidden_count(report))
        widen(layout, report, &report->hidden);
}

/* Columns that a row takes before its site. */
static size_t width_of(const struct layout *layout) {
    size_t width = 0;
    for (size_t i = 0; i < layout->count; i++)
        width += layout->widths[i] + 2;
    return width;
}

static void put_head(struct out *out, const struct layout *layout) {
    for (size_t i = 0; i < layout->count; i++)
        put_right(out, column_name(layout->columns[i]), layout->widths[i] + (i ? 2 : 0));
    out_text(out, "  site\n");
}

static void put_cells(const struct page *page, const struct layout *layout, const struct report_site *site) {
    char text[UNITS_SIZE];
    for (size_t i = 0; i < layout->count; i++) {
        column_cell(text, page->report, site, layout->columns[i]);
        put_right(page->out, text, layout->widths[i] + (i ? 2 : 0));
    }
    out_text(page->out, "  ");
}

static void put_rows(struct page *page) {
    const struct report *report = page->report;
    struct layout layout;
    measure(&layout, report);
    page->indent = width_of(&layout) + 2;
    put_head(page->out, &layout);
    for (size_t i = 0; i < report->shown; i++) {
        put_cells(page, &layout, report->sites[i]);
        page_site(page, report->sites[i]);
        details_of_site(page, report->sites[i]);
        out_char(page->out, '\n');
    }
    if (!report_hidden_count(report))
        return;
    put_cells(page, &layout, &report->hidden);
    summary_hidden(page);
    out_char(page->out, '\n');
}

void report_text(struct out *out, const struct report *report) {
    struct page page = {.out = out, .report = report};
    summary_text(&page);
    details_of_faults(&page);
    if (report->counted + report->left_out)
        put_rows(&page);
}
