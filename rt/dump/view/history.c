/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The live bytes of sites over the time of a recording, with output as text and JSON. */
#include "dump/view/views.h"

#include "base/arrays.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "model/filter.h"
#include "model/report.h"
#include "names/names.h"
#include "write/formats.h"
#include "write/lines.h"
#include "write/summary.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Growth. */

static uint64_t least_between(const uint64_t *live, size_t from, size_t end) {
    uint64_t least = live[from];
    for (size_t i = from; i < end; i++)
        least = live[i] < least ? live[i] : least;
    return least;
}

/* Compares the minimum of each part of the time, so short-lived blocks have no effect. No minimum may
 * decrease. The first third may be the program's start, so live bytes must grow in each of the other two
 * thirds. */
static bool only_grows(const uint64_t *least_live, size_t count) {
    uint64_t lows[HISTORY_PARTS];
    if (count < HISTORY_PARTS)
        return false;
    for (size_t i = 0; i < HISTORY_PARTS; i++) {
        lows[i] = least_between(least_live, i * count / HISTORY_PARTS, (i + 1) * count / HISTORY_PARTS);
        if (i && lows[i] < lows[i - 1])
            return false;
    }
    return lows[2 * HISTORY_PARTS / 3] > lows[HISTORY_PARTS / 3] &&
           lows[HISTORY_PARTS - 1] > lows[2 * HISTORY_PARTS / 3];
}

/* Returns the slope of the least-squares line through the last two thirds of the points. */
static double history_slope(const struct series *series, const uint64_t *live) {
    size_t first = series->point_count / 3, count = series->point_count - first;
    double time = 0, bytes = 0, times_time = 0, times_bytes = 0;
    for (size_t i = first; i < series->point_count; i++) {
        double hours = (double)(series_time(series, i) - series_time(series, first)) / 3600e9;
        time += hours;
        bytes += (double)live[i];
        times_time += hours * hours;
        times_bytes += hours * (double)live[i];
    }
    double spread = times_time * (double)count - time * time;
    return spread > 0 ? (times_bytes * (double)count - time * bytes) / spread : 0;
}

static struct history_row history_row_of(const struct series *series, const uint64_t *live,
                                         const uint64_t *lows) {
    struct history_row row = {.live = live,
                              .per_hour = history_slope(series, live),
                              .only_grows = only_grows(lows, series->point_count)};
    for (size_t i = 0; i < series->point_count; i++)
        row.most = live[i] > row.most ? live[i] : row.most;
    return row;
}

/* ---- Rows. */

static int compare_growth(const void *a, const void *b) {
    const struct history_row *left = a, *right = b;
    return (left->per_hour < right->per_hour) - (left->per_hour > right->per_hour)
               ?: order_identity(left->site, right->site);
}

static int compare_most(const void *a, const void *b) {
    const struct history_row *left = a, *right = b;
    return compare_u64(right->most, left->most) ?: order_identity(left->site, right->site);
}

static void add_row(struct history *history, size_t site, const struct report_limits *limits,
                    bool is_growth) {
    struct history_row *row = &history->rows[history->count];
    const struct series *series = &history->series;
    *row = history_row_of(series, series_of(series, site), series->lows + site * series->point_count);
    row->site = &history->series.moment->rows[site];
    bool has_filter = limits->filter && *limits->filter;
    history->count += row->most && row->most >= limits->min_bytes && (row->only_grows || !is_growth) &&
                      (!has_filter || filter_matches(limits->filter, &row->site->view));
}

void history_make(struct history *history, const struct moment *moment, const struct report_limits *limits,
                  bool is_growth) {
    size_t count = moment->recording.site_count - RECORDED_SITES;
    *history = (struct history){.rows = memory_zeros(count + 1, sizeof *history->rows)};
    series_make(&history->series, moment, NULL, 0, HISTORY_POINTS, series_live_bytes);
    history->total = history_row_of(&history->series, history->series.totals, history->series.totals);
    for (size_t i = 0; i < count; i++)
        add_row(history, i, limits, is_growth);
    sort_list(history->rows, history->count, sizeof *history->rows,
              is_growth ? compare_growth : compare_most);
}

void history_free(struct history *history) {
    series_free(&history->series);
    free(history->rows);
}

/* ---- For people. */

enum { SPARK_WIDTH = 24 };

enum { COLUMN_LIVE_NOW, COLUMN_MOST, COLUMN_PER_HOUR, HISTORY_COLUMNS };

/* 0 is a space, and the maximum is a bar of full height. */
static void put_spark(struct out *out, const uint64_t *amounts, size_t count, uint64_t most) {
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { HEIGHT = sizeof bars / sizeof *bars - 1 };
    for (size_t i = 0; i < SPARK_WIDTH; i++) {
        uint64_t amount = amounts[i * (count - 1) / (SPARK_WIDTH - 1)];
        size_t height = most ? (size_t)((double)amount / (double)most * HEIGHT + 0.999) : 0;
        out_text(out, bars[height > HEIGHT ? HEIGHT : height]);
    }
}

static void name_growth(char *text, double per_hour) {
    double size = per_hour < 0 ? -per_hour : per_hour;
    text[0] = per_hour < 0 ? '-' : '+';
    units_size(text + 1, size < 9e18 ? (uint64_t)(size + 0.5) : INT64_MAX);
}

static void history_cell(char text[GRID_CELL], const void *context, const void *of, int column) {
    static const char *const names[] = {"live", "most", "per hour"};
    const struct history *history = context;
    const struct history_row *row = of;
    if (!row)
        strcpy(text, names[column]);
    else if (column == COLUMN_PER_HOUR)
        name_growth(text, row->per_hour);
    else
        units_size(text, column == COLUMN_MOST ? row->most : row->live[history->series.point_count - 1]);
}

static void put_row(const struct page *page, const struct grid *grid, const struct history *history,
                    const struct history_row *row) {
    struct line line;
    grid_row(grid, row);
    put_spark(page->out, row->live, history->series.point_count, row->most);
    out_text(page->out, "  ");
    line_begin(&line, page, grid_width(grid) + SPARK_WIDTH + 2, grid_indent(grid));
    if (row->site)
        page_site(&line.page, row->site);
    else
        out_text(line.page.out, "all sites");
    line_end(&line);
    if (row->site)
        page_chain(page, row->site);
    out_char(page->out, '\n');
}

static void put_resident(struct out *out, const struct history *history) {
    uint64_t most = 0;
    for (size_t i = 0; i < history->series.point_count; i++)
        most = history->series.resident[i] > most ? history->series.resident[i] : most;
    if (!most)
        return;
    out_text(out, "resident over time: ");
    put_spark(out, history->series.resident, history->series.point_count, most);
    out_print(out, "  %s, at most %s\n", SIZE_TEXT(history->series.resident[history->series.point_count - 1]),
              SIZE_TEXT(most));
}

static void put_none(struct out *out, const struct history *history) {
    bool is_short = history->series.point_count < HISTORY_PARTS;
    out_text(out, is_short ? "too few samples to tell what grows: 12 are needed\n" : "no site only grows\n");
}

static size_t shown_of(const struct history *history, const struct report_limits *limits) {
    return limits->top && limits->top < history->count ? limits->top : history->count;
}

static void put_rows(struct page *page, const struct history *history, size_t count) {
    struct grid grid = {.page = page, .cell = history_cell, .context = history};
    grid_number_columns(&grid, HISTORY_COLUMNS);
    grid_measure(&grid, NULL);
    grid_measure(&grid, &history->total);
    for (size_t i = 0; i < count; i++)
        grid_measure(&grid, &history->rows[i]);
    page->indent = grid_indent(&grid);
    grid_row(&grid, NULL);
    out_text(page->out, "live over time            site\n");
    put_row(page, &grid, history, &history->total);
    for (size_t i = 0; i < count; i++)
        put_row(page, &grid, history, &history->rows[i]);
    if (count == history->count)
        return;
    page_count(page, history->count - count, " more site", " more sites");
    out_char(page->out, '\n');
}

void history_text(struct out *out, const struct history *history, const struct report_limits *limits,
                  bool is_growth) {
    struct page page = {.out = out, .report = &history->series.moment->report};
    summary_text(&page);
    put_resident(out, history);
    if (is_growth && !history->count)
        put_none(out, history);
    else
        put_rows(&page, history, shown_of(history, limits));
}

/* ---- For programs. */

static void put_numbers(struct json *json, const char *key, const uint64_t *numbers, size_t count) {
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, numbers[i]);
    json_close(json, ']');
}

static void put_times(struct json *json, const struct history *history) {
    json_open(json, "times_ms", '[');
    for (size_t i = 0; i < history->series.point_count; i++)
        json_number(json, NULL, series_time(&history->series, i) / 1000000);
    json_close(json, ']');
}

static void put_amounts(struct json *json, const struct history *history, const struct history_row *row) {
    char number[32];
    snprintf(number, sizeof number, "%.0f", row->per_hour);
    json_number(json, "most_bytes", row->most);
    json_key(json, "bytes_per_hour");
    out_text(json->out, strcmp(number, "-0") == 0 ? "0" : number);
    json_flag(json, "only_grows", row->only_grows);
    put_numbers(json, "live_bytes", row->live, history->series.point_count);
}

void history_json(struct out *out, const struct history *history, const struct report_limits *limits) {
    struct json json = json_begin(out, "allocsite-history", 1);
    json_head(&json, &history->series.moment->report);
    json_number(&json, "thinned", history->series.moment->report.sampled.thinned);
    put_times(&json, history);
    put_numbers(&json, "resident_bytes", history->series.resident, history->series.point_count);
    json_open(&json, "total", '{');
    put_amounts(&json, history, &history->total);
    json_close(&json, '}');
    json_open(&json, "sites", '[');
    for (size_t i = 0; i < shown_of(history, limits); i++) {
        json_open_line(&json, NULL, '{');
        json_site(&json, &history->rows[i].site->view);
        put_amounts(&json, history, &history->rows[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static int history_show(const char *path, struct report *report, struct showing *showing, bool is_growth) {
    struct report_limits limits = report_limits_of(&showing->options);
    struct history history;
    view_prepare_all(report, showing);
    if (!showing->moment)
        return complain_file(path, "is no recording, which alone has a history: allocsite-dump record");
    if (laws_need_owners(path, report))
        return STATUS_FAILED;
    history_make(&history, showing->moment, &limits, is_growth);
    if (showing->options.format == FORMAT_JSON)
        history_json(standard_out(), &history, &limits);
    else
        history_text(standard_out(), &history, &limits, is_growth);
    history_free(&history);
    return standard_out_end();
}

int show_history(const char *path, struct report *report, struct showing *showing) {
    return history_show(path, report, showing, false);
}

int show_growth(const char *path, struct report *report, struct showing *showing) {
    return history_show(path, report, showing, true);
}
