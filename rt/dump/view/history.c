/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The live bytes of sites over the time of a recording. */
#include "dump/view/history.h"

#include "base/sort.h"
#include "dump/base/memory.h"
#include "model/filter.h"
#include "model/report_order.h"

#include <stdlib.h>

/* ---- Growth. */

static uint64_t least(const uint64_t *live, size_t from, size_t end) {
    uint64_t least = live[from];
    for (size_t i = from; i < end; i++)
        least = live[i] < least ? live[i] : least;
    return least;
}

/* What comes and goes between is not looked at, only what is left in each part of the time. The first third
 * is for what a program has from its beginning on; in each other one something must be added. */
static bool only_grows(const uint64_t *least_live, size_t count) {
    uint64_t lows[HISTORY_PARTS];
    if (count < HISTORY_PARTS)
        return false;
    for (size_t i = 0; i < HISTORY_PARTS; i++) {
        lows[i] = least(least_live, i * count / HISTORY_PARTS, (i + 1) * count / HISTORY_PARTS);
        if (i && lows[i] < lows[i - 1])
            return false;
    }
    return lows[2 * HISTORY_PARTS / 3] > lows[HISTORY_PARTS / 3] &&
           lows[HISTORY_PARTS - 1] > lows[2 * HISTORY_PARTS / 3];
}

/* The slope of the line that has the least squares of distances. */
static double slope(const struct series *series, const uint64_t *live) {
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

static struct history_row fit(const struct series *series, const uint64_t *live, const uint64_t *lows) {
    struct history_row row = {
        .live = live, .per_hour = slope(series, live), .only_grows = only_grows(lows, series->point_count)};
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
    *row = fit(series, series_of(series, site), series->lows + site * series->point_count);
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
    history->total = fit(&history->series, history->series.totals, history->series.totals);
    for (size_t i = 0; i < count; i++)
        add_row(history, i, limits, is_growth);
    if (history->count)
        qsort(history->rows, history->count, sizeof *history->rows,
              is_growth ? compare_growth : compare_most);
}

void history_free(struct history *history) {
    series_free(&history->series);
    free(history->rows);
}
