/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report for people: the columns, and the table as text and as Markdown. */
#include "write/formats.h"

#include "write/lines.h"
#include "write/summary.h"

#include <string.h>

/* ---- The columns of the table for people. */

/* Those that say something in most programs always stand in their place. */
static bool is_shown(const struct report *report, enum column column) {
    const struct counters *totals = &report->totals.counters;
    switch (column) {
    case COLUMN_REALLOCS:
        return totals->reallocs;
    case COLUMN_MOVED:
        return totals->moved;
    case COLUMN_TEMPORARY:
        return totals->temporary;
    case COLUMN_FAILED:
        return totals->failed;
    case COLUMN_LOST:
        return report->reach;
    case COLUMN_POSSIBLY_LOST:
        return report->reach && report->totals.possibly_lost_blocks;
    case COLUMN_LIVE:
    case COLUMN_PEAK:
    case COLUMN_MOST_LIVE:
        return !report->is_unowned;
    default:
        return true;
    }
}

size_t columns_of(const struct report *report, int columns[COLUMNS]) {
    static const enum column usual[] = {
        COLUMN_BYTES, COLUMN_BYTES_SHARE, COLUMN_ALLOCS,  COLUMN_ALLOCS_SHARE, COLUMN_REALLOCS,
        COLUMN_MOVED, COLUMN_TEMPORARY,   COLUMN_FAILED,  COLUMN_LOST,         COLUMN_LIVE,
        COLUMN_PEAK,  COLUMN_MOST_LIVE,   COLUMN_AVERAGE,
    };
    static const enum column leaks[] = {
        COLUMN_LOST,        COLUMN_POSSIBLY_LOST, COLUMN_LIVE,      COLUMN_LIVE_SHARE,
        COLUMN_LIVE_BLOCKS, COLUMN_ALLOCS,        COLUMN_MOST_LIVE, COLUMN_AVERAGE,
    };
    bool is_leaks = report->limits.leaks;
    const enum column *from = is_leaks ? leaks : usual;
    size_t count = is_leaks ? sizeof leaks / sizeof *leaks : sizeof usual / sizeof *usual, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_shown(report, from[i]))
            columns[kept++] = from[i];
    return kept;
}

void columns_narrow(struct grid *grid, const struct report_limits *limits) {
    static const int gives_way[] = {COLUMN_ALLOCS_SHARE, COLUMN_AVERAGE,    COLUMN_MOVED,
                                    COLUMN_MOST_LIVE,    COLUMN_LIVE_SHARE, COLUMN_LIVE_BLOCKS,
                                    COLUMN_REALLOCS,     COLUMN_PEAK,       COLUMN_LIVE,
                                    COLUMN_BYTES_SHARE,  COLUMN_ALLOCS};
    static const enum column sorted[SORTS] = {[SORT_BYTES] = COLUMN_BYTES,
                                              [SORT_ALLOCS] = COLUMN_ALLOCS,
                                              [SORT_LIVE] = COLUMN_LIVE,
                                              [SORT_PEAK] = COLUMN_PEAK};
    enum { SITE_LEAST = 40 };
    enum column kept = limits->leaks ? COLUMN_LIVE : sorted[limits->sort];
    for (size_t i = 0; i < sizeof gives_way / sizeof *gives_way; i++)
        if (gives_way[i] != (int)kept)
            grid_narrow(grid, SITE_LEAST, &gives_way[i], 1);
}

const char *column_name(enum column column) {
    static const char *const names[COLUMNS] = {
        [COLUMN_BYTES] = "bytes",         [COLUMN_BYTES_SHARE] = "share",
        [COLUMN_ALLOCS] = "allocs",       [COLUMN_ALLOCS_SHARE] = "share",
        [COLUMN_REALLOCS] = "reallocs",   [COLUMN_MOVED] = "moved",
        [COLUMN_TEMPORARY] = "temporary", [COLUMN_FAILED] = "failed",
        [COLUMN_LOST] = "lost",           [COLUMN_LIVE] = "live",
        [COLUMN_LIVE_SHARE] = "share",    [COLUMN_LIVE_BLOCKS] = "blocks",
        [COLUMN_PEAK] = "peak",           [COLUMN_MOST_LIVE] = "most live",
        [COLUMN_AVERAGE] = "average",     [COLUMN_POSSIBLY_LOST] = "possibly",
    };
    return names[column];
}

static void average(char *text, const struct counters *counters) {
    uint64_t calls = counters_calls(counters);
    if (calls)
        units_size(text, (counters_bytes(counters) + calls / 2) / calls);
    else
        strcpy(text, "-");
}

/* A plus: at least so many. The maxima of several sites are of different moments. */
static void most_live(char *text, const struct report *report, const struct report_site *site) {
    if (site == &report->hidden || site == &report->apart) {
        strcpy(text, "-");
        return;
    }
    units_count(text, site->counters.max_live_blocks);
    if (site->counters.max_live_blocks_within)
        strcat(text, "+");
}

static uint64_t number_of(const struct report_site *site, enum column column) {
    const struct counters *counters = &site->counters;
    switch (column) {
    case COLUMN_BYTES:
    case COLUMN_BYTES_SHARE:
        return counters_bytes(counters);
    case COLUMN_REALLOCS:
        return counters->reallocs;
    case COLUMN_MOVED:
        return counters->moved;
    case COLUMN_TEMPORARY:
        return counters->temporary;
    case COLUMN_FAILED:
        return counters->failed;
    case COLUMN_LOST:
        return site->lost_bytes;
    case COLUMN_POSSIBLY_LOST:
        return site->possibly_lost_bytes;
    case COLUMN_LIVE:
    case COLUMN_LIVE_SHARE:
        return counters->live_bytes;
    case COLUMN_LIVE_BLOCKS:
        return counters->live_blocks;
    case COLUMN_PEAK:
        return counters->peak_bytes;
    default:
        return counters->allocs;
    }
}

void column_cell(char text[UNITS_SIZE], const struct report *report, const struct report_site *site,
                 enum column column) {
    uint64_t number = number_of(site, column);
    switch (column) {
    case COLUMN_BYTES_SHARE:
    case COLUMN_ALLOCS_SHARE:
    case COLUMN_LIVE_SHARE:
        if (site->view.backing)
            strcpy(text, "-");
        else
            units_share(text, number, number_of(&report->totals, column));
        break;
    case COLUMN_BYTES:
    case COLUMN_LOST:
    case COLUMN_POSSIBLY_LOST:
    case COLUMN_LIVE:
    case COLUMN_PEAK:
        units_size(text, number);
        break;
    case COLUMN_MOST_LIVE:
        most_live(text, report, site);
        break;
    case COLUMN_AVERAGE:
        average(text, &site->counters);
        break;
    default:
        units_count(text, number);
    }
}

/* ---- The report for people: for the terminal, and as a Markdown table for issues and pull requests. */

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
    if (report->counted)
        put_rows(&page);
}

void report_markdown(struct out *out, const struct report *report) {
    struct page page = {.out = out, .report = report, .is_markdown = true};
    summary_markdown(&page);
    details_of_faults(&page);
    out_char(out, '\n');
    put_rows(&page);
}
