/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The live bytes of sites over the time of a recording. */
#include "dump/view/history.h"

#include "base/sort.h"
#include "dump/base/memory.h"
#include "model/filter.h"
#include "model/report_order.h"

#include <stdlib.h>

/* ---- Points. */

static void take_point(void *context, const struct recording *from, size_t point) {
    struct history *history = context;
    history->resident[point] = from->numbers[SAMPLE_RESIDENT];
    for (size_t i = RECORDED_SITES; i < from->site_count; i++) {
        uint64_t live = counters_recorded(&from->sites[i].now).live_bytes;
        history->amounts[(i - RECORDED_SITES) * history->point_count + point] = live;
        if (!from->sites[i].view.backing)
            history->total.live[point] += live;
    }
}

/* ---- Growth. */

static uint64_t least(const uint64_t *live, size_t from, size_t end) {
    uint64_t least = live[from];
    for (size_t i = from; i < end; i++)
        least = live[i] < least ? live[i] : least;
    return least;
}

/* What comes and goes between is not looked at, only what is left in each part of the time. The first third is
 * for what a program has from its beginning on; in each other one something must be added. */
static bool only_grows(const uint64_t *live, size_t count) {
    uint64_t lows[HISTORY_PARTS];
    if (count < HISTORY_PARTS)
        return false;
    for (size_t i = 0; i < HISTORY_PARTS; i++) {
        lows[i] = least(live, i * count / HISTORY_PARTS, (i + 1) * count / HISTORY_PARTS);
        if (i && lows[i] < lows[i - 1])
            return false;
    }
    return lows[2 * HISTORY_PARTS / 3] > lows[HISTORY_PARTS / 3] &&
           lows[HISTORY_PARTS - 1] > lows[2 * HISTORY_PARTS / 3];
}

/* The slope of the line that has the least squares of distances. */
static double slope(const struct history *history, const uint64_t *live) {
    size_t first = history->point_count / 3, count = history->point_count - first;
    const uint64_t *times = history->moment->times;
    uint64_t begin = times[history->points[first]];
    double time = 0, bytes = 0, times_time = 0, times_bytes = 0;
    for (size_t i = first; i < history->point_count; i++) {
        double hours = (double)(times[history->points[i]] - begin) / 3600e9;
        time += hours;
        bytes += (double)live[i];
        times_time += hours * hours;
        times_bytes += hours * (double)live[i];
    }
    double spread = times_time * (double)count - time * time;
    return spread > 0 ? (times_bytes * (double)count - time * bytes) / spread : 0;
}

static void fit(const struct history *history, struct history_row *row) {
    for (size_t i = 0; i < history->point_count; i++)
        row->most = row->live[i] > row->most ? row->live[i] : row->most;
    row->per_hour = slope(history, row->live);
    row->only_grows = only_grows(row->live, history->point_count);
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

static void add_row(struct history *history, size_t site, const struct report_limits *limits, bool is_growth) {
    struct history_row *row = &history->rows[history->count];
    *row = (struct history_row){.site = &history->moment->rows[site],
                                .live = history->amounts + site * history->point_count};
    fit(history, row);
    bool has_filter = limits->filter && *limits->filter;
    bool is_wanted = row->most && row->most >= limits->min_bytes && (row->only_grows || !is_growth) &&
                     (!has_filter || filter_matches(limits->filter, &row->site->view));
    history->count += is_wanted;
}

void history_make(struct history *history, const struct moment *moment, const struct report_limits *limits,
                  bool is_growth) {
    size_t sites = moment->recording.site_count - RECORDED_SITES;
    *history = (struct history){.moment = moment};
    history->points = moment_points(moment, HISTORY_POINTS, &history->point_count);
    history->resident = memory_zeros(history->point_count, sizeof *history->resident);
    history->total.live = memory_zeros(history->point_count, sizeof *history->total.live);
    history->amounts = memory_zeros(sites * history->point_count, sizeof *history->amounts);
    history->rows = memory_zeros(sites + 1, sizeof *history->rows);
    moment_walk(moment, history->points, history->point_count, take_point, history);
    fit(history, &history->total);
    for (size_t i = 0; i < sites; i++)
        add_row(history, i, limits, is_growth);
    if (history->count)
        qsort(history->rows, history->count, sizeof *history->rows, is_growth ? compare_growth : compare_most);
}

void history_free(struct history *history) {
    free(history->points);
    free(history->resident);
    free(history->total.live);
    free(history->amounts);
    free(history->rows);
}
