/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report for people: the columns, and the table as text and as Markdown. */
#include "write/formats.h"

#include "write/lines.h"
#include "write/summary.h"

#include <string.h>

/* ---- The columns of tables for people. */

enum kind { COUNT, SIZE, SHARE };

#define OF(member)        offsetof(struct report_site, member)
#define OF_BYTES_OF_CALLS SIZE_MAX /* a sum of two counters */

static const struct {
    const char *name;
    size_t number; /* the counter's offset in a site */
    enum kind kind;
    bool is_rare;  /* shown only if the total is not zero */
    bool is_owned; /* unknown where blocks have no owners */
} list[COLUMNS] = {
    [COLUMN_BYTES] = {"bytes", OF_BYTES_OF_CALLS, SIZE},
    [COLUMN_BYTES_SHARE] = {"bytes%", OF_BYTES_OF_CALLS, SHARE},
    [COLUMN_ALLOCS] = {"allocs", OF(counters.allocs), COUNT},
    [COLUMN_ALLOCS_SHARE] = {"allocs%", OF(counters.allocs), SHARE},
    [COLUMN_REALLOCS] = {"reallocs", OF(counters.reallocs), COUNT, .is_rare = true},
    [COLUMN_FREES] = {"frees", OF(counters.frees), COUNT, .is_owned = true},
    [COLUMN_MOVED] = {"moved", OF(counters.moved), COUNT, .is_rare = true},
    [COLUMN_TEMPORARY] = {"temporary", OF(counters.temporary), COUNT, .is_rare = true},
    [COLUMN_FAILED] = {"failed", OF(counters.failed), COUNT, .is_rare = true},
    [COLUMN_LEAKED] = {"leaked", OF(counters.leaked_bytes), SIZE},
    [COLUMN_POSSIBLY_LEAKED] = {"possibly", OF(counters.possibly_leaked_bytes), SIZE, .is_rare = true},
    [COLUMN_LIVE] = {"live", OF(counters.live_bytes), SIZE, .is_owned = true},
    [COLUMN_LIVE_SHARE] = {"live%", OF(counters.live_bytes), SHARE, .is_owned = true},
    [COLUMN_LIVE_BLOCKS] = {"blocks", OF(counters.live_blocks), COUNT, .is_owned = true},
    [COLUMN_PEAK] = {"peak", OF(counters.peak_bytes), SIZE, .is_owned = true},
    [COLUMN_PEAK_SHARE] = {"peak%", OF(counters.peak_bytes), SHARE, .is_owned = true},
};

static uint64_t number_of(const struct report_site *site, enum column column) {
    uint64_t number;
    if (list[column].number == OF_BYTES_OF_CALLS)
        return counters_bytes(&site->counters);
    memcpy(&number, (const char *)site + list[column].number, sizeof number);
    return number;
}

enum column column_sorted(const struct report_limits *limits) {
    static const enum column sorted[SORTS] = {[SORT_BYTES] = COLUMN_BYTES,
                                              [SORT_ALLOCS] = COLUMN_ALLOCS,
                                              [SORT_LIVE] = COLUMN_LIVE,
                                              [SORT_PEAK] = COLUMN_PEAK};
    return limits->leaks ? COLUMN_LIVE : sorted[limits->sort];
}

enum column column_share(enum column column) {
    return column == COLUMN_ALLOCS ? COLUMN_ALLOCS_SHARE
           : column == COLUMN_LIVE ? COLUMN_LIVE_SHARE
           : column == COLUMN_PEAK ? COLUMN_PEAK_SHARE
                                   : COLUMN_BYTES_SHARE;
}

bool column_is_shown(const struct report *report, const struct report_limits *limits,
                     const struct report_site *totals, enum column column) {
    if ((column == COLUMN_LEAKED || column == COLUMN_POSSIBLY_LEAKED) && !report->reach)
        return false;
    if (list[column].kind == SHARE && column != column_share(column_sorted(limits)))
        return false;
    return (!list[column].is_rare || number_of(totals, column)) &&
           (!list[column].is_owned || !report->is_unowned);
}

/* Writes which columns the report has, in their order, and returns how many. */
static size_t columns_of(const struct report *report, int columns[COLUMNS]) {
    static const enum column usual[] = {
        COLUMN_BYTES,      COLUMN_BYTES_SHARE, COLUMN_ALLOCS,     COLUMN_ALLOCS_SHARE, COLUMN_REALLOCS,
        COLUMN_MOVED,      COLUMN_TEMPORARY,   COLUMN_FAILED,     COLUMN_LEAKED,       COLUMN_LIVE,
        COLUMN_LIVE_SHARE, COLUMN_PEAK,        COLUMN_PEAK_SHARE,
    };
    static const enum column leaks[] = {
        COLUMN_LEAKED,     COLUMN_POSSIBLY_LEAKED, COLUMN_LIVE,
        COLUMN_LIVE_SHARE, COLUMN_LIVE_BLOCKS,     COLUMN_ALLOCS,
    };
    bool is_leaks = report->limits.leaks;
    const enum column *from = is_leaks ? leaks : usual;
    size_t count = is_leaks ? sizeof leaks / sizeof *leaks : sizeof usual / sizeof *usual, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (column_is_shown(report, &report->limits, &report->totals, from[i]))
            columns[kept++] = from[i];
    return kept;
}

void columns_narrow(struct grid *grid, const struct report_limits *limits) {
    static const int gives_way[] = {COLUMN_MOVED, COLUMN_LIVE_BLOCKS, COLUMN_REALLOCS,
                                    COLUMN_PEAK,  COLUMN_LIVE,        COLUMN_ALLOCS};
    enum { COUNT = sizeof gives_way / sizeof *gives_way, SITE_LEAST = 48 };
    int sorted = (int)column_sorted(limits), others[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++)
        if (gives_way[i] != sorted)
            others[count++] = gives_way[i];
    grid_narrow(grid, SITE_LEAST, others, count);
}

const char *column_name(enum column column) {
    return list[column].name;
}

void column_cell(char text[UNITS_SIZE], const struct report *report, const struct report_site *site,
                 enum column column) {
    uint64_t number = number_of(site, column);
    switch (list[column].kind) {
    case COUNT:
        units_count(text, number);
        break;
    case SIZE:
        units_size(text, number);
        break;
    case SHARE:
        if (site->view.outside_totals)
            strcpy(text, "-");
        else
            units_share(text, number, number_of(&report->totals, column));
    }
}

/* ---- The report for people: for the terminal, and as a Markdown table for issues and pull requests. */

static void report_cell(char text[GRID_CELL], const void *report, const void *row, int column) {
    if (row)
        column_cell(text, report, row, (enum column)column);
    else
        strcpy(text, column_name((enum column)column));
}

/* In a report of leaks the hidden rows matter only if they have live blocks. */
static bool has_hidden(const struct report *report) {
    return report_hidden_count(report) && (!report->limits.leaks || report->hidden.counters.live_blocks);
}

static void report_measure(struct grid *grid, const struct report *report) {
    grid_measure(grid, NULL);
    for (size_t i = 0; i < report->shown; i++)
        grid_measure(grid, report->sites[i]);
    if (has_hidden(report))
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
    grid_put_dropped(grid, page, site);
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

/* Says that no row leaks, and how many live bytes the hidden rows have. */
static void put_no_leaks(const struct page *page) {
    const struct report *report = page->report;
    const struct counters *left_out = &report->hidden.counters;
    out_text(page->out, report->finished ? "no leaks" : "no live blocks");
    if (left_out->live_blocks)
        out_print(page->out, ", except %s in rows that the filter, limits or suppressions leave out",
                  SIZE_TEXT(left_out->live_bytes));
    page_end_line(page);
}

static bool has_verdict(const struct report *report) {
    return report->limits.leaks && !report->is_unowned && !report->shown;
}

static void put_rows(struct page *page) {
    const struct report *report = page->report;
    if (has_verdict(report)) {
        put_no_leaks(page);
        return;
    }
    struct grid grid = {.page = page, .cell = report_cell, .context = report};
    grid.count = columns_of(report, grid.columns);
    report_measure(&grid, report);
    page->indent = grid_indent(&grid);
    grid_head(&grid, "site");
    for (size_t i = 0; i < report->shown; i++)
        put_row(page, &grid, report->sites[i]);
    if (has_hidden(report))
        put_hidden(page, &grid);
    if (report->apart_count)
        put_apart(page, &grid);
}

void report_text(struct out *out, const struct report *report) {
    struct page page = {.out = out, .report = report};
    summary_text(&page);
    details_of_faults(&page);
    if (report->counted)
        put_rows(&page);
    page_headers(&page);
}

void report_markdown(struct out *out, const struct report *report) {
    struct page page = {.out = out, .report = report, .is_markdown = true};
    summary_markdown(&page);
    details_of_faults(&page);
    out_char(out, '\n');
    put_rows(&page);
}
