/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Formats the live table. */
#include "base/path.h"
#include "dump/base/files.h"
#include "dump/base/terminal.h"
#include "dump/top/top.h"
#include "write/lines.h"
#include "write/summary.h"

#include <errno.h>
#include <string.h>

/* Fixed widths keep columns in place between refreshes. A wider number shifts the rest of its line. */
static const struct column {
    const char *name;
    size_t width;
    enum measure measure;
    bool is_rate;
} columns[] = {
    {"allocs/s", 11, MEASURE_ALLOCS, true}, {"bytes/s", 10, MEASURE_BYTES, true},
    {"allocs", 13, MEASURE_ALLOCS, false},  {"bytes", 10, MEASURE_BYTES, false},
    {"live", 10, MEASURE_LIVE, false},      {"peak", 10, MEASURE_PEAK, false},
};

enum { COLUMNS_SHOWN = sizeof columns / sizeof *columns };

static void put_title(const struct page *page) {
    const struct report *report = page->report;
    out_text(page->out, "allocsite: ");
    out_plain(page->out, path_base(report->program));
    summary_processes(page);
    if (report->reason_count)
        out_text(page->out, ", not exact");
    if (!report->running && !report->several.count)
        out_text(page->out, report->finished ? ", ended" : ", ended by force");
}

/* Rates come first, because a narrow terminal cuts the rest. */
static void put_totals(const struct page *page, const struct top *top) {
    if (top_has_rates(top)) {
        measure_write(page->out, top->total.allocs, MEASURE_ALLOCS);
        out_text(page->out, " allocs/s, ");
        measure_write(page->out, top->total.bytes, MEASURE_BYTES);
        out_text(page->out, "/s; ");
    }
    if (top->base) {
        const struct counters *now = &page->report->totals.counters,
                              *base = &top->base->report->totals.counters;
        out_print(page->out, "since the reset: %s in %s%s",
                  SIZE_TEXT(counters_bytes(now) - counters_bytes(base)),
                  COUNT_TEXT(counters_calls(now) - counters_calls(base)),
                  (counters_calls(now) - counters_calls(base)) == 1 ? " call" : " calls");
        return;
    }
    out_text(page->out, "total: ");
    summary_totals(page);
}

void top_head_line(struct out *out, const struct top *top, int line) {
    struct page page = {.out = out, .report = top_report(top)};
    switch (line) {
    case 0:
        put_title(&page);
        break;
    case 1:
        put_totals(&page, top);
        break;
    default:
        summary_live(&page);
    }
}

static void format_cell(char text[GRID_CELL], const void *context, const void *of, int column) {
    const struct top *top = context;
    const struct top_row *row = of;
    enum measure measure = columns[column].measure;
    bool is_rate = columns[column].is_rate, is_owned = measure == MEASURE_LIVE || measure == MEASURE_PEAK;
    if (!row)
        strcpy(text, columns[column].name);
    else if ((is_rate && !top_has_rates(top)) || (is_owned && top_report(top)->is_unowned))
        strcpy(text, "-");
    else if (is_rate)
        measure_show(text, measure == MEASURE_BYTES ? row->rate.bytes : row->rate.allocs, measure);
    else
        measure_show(text, measure_of(row->site, measure), measure);
}

/* A program that ended before the first reading has no rates. */
static bool lacks_rates(const struct top *top) {
    return !top_has_rates(top) && top_is_over(top);
}

static bool is_sorted_by(const struct top *top, int column) {
    if (lacks_rates(top) && top->sort == TOP_BY_RATE)
        return columns[column].measure == MEASURE_BYTES && !columns[column].is_rate;
    return columns[column].is_rate ? top->sort == TOP_BY_RATE && columns[column].measure == MEASURE_BYTES
                                   : top->sort == columns[column].measure;
}

static struct grid grid_of(const struct page *page, const struct top *top) {
    enum { ALLOCS_RATE, BYTES_RATE, ALLOCS, BYTES, LIVE, PEAK, SITE_LEAST = 34 };
    static const int with_rates[] = {PEAK, ALLOCS, BYTES, LIVE, ALLOCS_RATE, BYTES_RATE},
                     without[] = {ALLOCS_RATE, BYTES_RATE, PEAK, ALLOCS, LIVE, BYTES};
    const int *gives_way = lacks_rates(top) ? without : with_rates;
    struct grid grid = {.page = page, .cell = format_cell, .context = top};
    grid_number_columns(&grid, COLUMNS_SHOWN);
    for (int i = 0; i < COLUMNS_SHOWN; i++)
        grid.widths[i] = columns[i].width;
    for (int i = 0; i < COLUMNS_SHOWN; i++)
        if (!is_sorted_by(top, gives_way[i]))
            grid_narrow(&grid, top->lines_of_row > 1 ? 0 : SITE_LEAST, &gives_way[i], 1);
    return grid;
}

void top_columns_line(struct out *out, const struct top *top) {
    const struct page page = {.out = out, .report = top_report(top)};
    struct grid grid = grid_of(&page, top);
    grid_row(&grid, NULL);
    out_text(out, top->lines_of_row > 1 ? "" : "site");
}

/* Writes the site, cut at the end of the line. The source location gets two thirds of the line and the
 * function the rest. */
static void put_cut_site(struct page *page, const struct report_site *site) {
    struct line line;
    line_begin(&line, page, page->indent, page->indent);
    line.page.room = line.page.room * 2 / 3;
    line.page.indent += line.page.room;
    page_site_in(&line.page, site);
    details_of_way(&line.page, site, line_space);
    line_cut(&line);
}

static void put_whole_site(struct page *page, const struct report_site *site) {
    struct line line;
    line_begin(&line, page, page->indent, page->indent);
    page_site_in(&line.page, site);
    details_of_way(&line.page, site, line_space);
    line_end(&line);
}

enum { BELOW_INDENT = 4 };

void top_row_line(struct out *out, const struct top *top, const struct top_row *row) {
    struct page page = {.out = out, .report = top_report(top)};
    struct grid grid = grid_of(&page, top);
    bool is_below = top->lines_of_row > 1;
    grid_row(&grid, row);
    page.indent = is_below ? BELOW_INDENT : grid_width(&grid);
    if (is_below)
        page_break(&page);
    (top->lines_of_row > 2 ? put_whole_site : put_cut_site)(&page, row->site);
}

/* ---- The details of a site. */

static void put_flow(const struct page *page, const char *what, uint64_t blocks, uint64_t bytes) {
    if (!blocks)
        return;
    page_break(page);
    out_print(page->out, "%s%s in %s%s", what, SIZE_TEXT(bytes), COUNT_TEXT(blocks),
              blocks == 1 ? " block" : " blocks");
}

static void put_most(const struct page *page, const struct counters *counters) {
    page_break(page);
    out_text(page->out, "at once: ");
    page_count(page, counters->max_live_blocks, " block", " blocks");
    if (!counters->max_live_blocks_within)
        return;
    out_print(page->out, ", at most %s", COUNT_TEXT(counters_most(counters)));
}

static void put_counters(const struct page *page, const struct counters *counters) {
    put_flow(page, "allocated: ", counters->allocs, counters->alloc_bytes);
    put_flow(page, "reallocated: ", counters->reallocs, counters->realloc_bytes);
    if (page->report->is_unowned)
        return;
    put_flow(page, "freed: ", counters->frees, counters->freed_bytes);
    put_flow(page, "moved by a reallocation: ", counters->moved, counters->moved_bytes);
    put_flow(page, "live: ", counters->live_blocks, counters->live_bytes);
    put_flow(page, "at the peak: ", counters->peak_blocks, counters->peak_bytes);
    put_most(page, counters);
}

/* Names the options that the program needs for sizes and pairs. */
static void put_unknown(const struct page *page, const struct report_site *site) {
    if (site->sizes && page->report->has_pairs)
        return;
    page_break(page);
    out_print(page->out, "not known: %s%s%s", site->sizes ? "" : "sizes (sizes=1)",
              site->sizes || page->report->has_pairs ? "" : ", ",
              page->report->has_pairs ? "" : "who freed its blocks (pairs=1)");
}

void top_details(struct out *out, const struct top *top) {
    const struct page page = {.out = out, .report = top_report(top), .indent = 2};
    struct line line;
    line_begin(&line, &page, 0, page.indent);
    page_site(&line.page, top->opened);
    line_end(&line);
    put_counters(&page, &top->opened->counters);
    details_of_site(&page, top->opened);
    put_unknown(&page, top->opened);
}

/* ---- Table after table, for pipes and files. */

static void put_table(struct out *out, const struct top *top, const struct top_options *options) {
    for (int line = 0; line < TOP_HEAD_LINES; line++) {
        top_head_line(out, top, line);
        out_char(out, '\n');
    }
    top_columns_line(out, top);
    out_char(out, '\n');
    for (size_t i = 0; i < top->count && (!options->rows || i < options->rows); i++) {
        top_row_line(out, top, &top->rows[i]);
        out_char(out, '\n');
    }
}

static int show_table(struct top *top, const struct top_options *options, bool is_first) {
    struct out *out = standard_out();
    if (!is_first)
        out_char(out, '\n');
    top_select(top, &options->view);
    put_table(out, top, options);
    return standard_out_end();
}

/* Sleeps until an absolute time, so that tables do not drift. */
static void sleep_until(struct timespec *time, unsigned interval) {
    time->tv_sec += interval / 1000;
    time->tv_nsec += (long)(interval % 1000) * 1000000;
    if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        time->tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, time, NULL) == EINTR)
        ;
}

int top_tables(struct top *top, const struct top_options *options) {
    struct timespec time = top->now->time;
    struct reason why;
    int status = show_table(top, options, true);
    for (uint64_t shown = 1; status == STATUS_DONE && shown != options->count && !top_is_over(top); shown++) {
        sleep_until(&time, options->interval);
        if (!top_refresh(top, &why))
            return complain_file(top->path, "%s", why.text);
        status = show_table(top, options, false);
    }
    return status;
}
