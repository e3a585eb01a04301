/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A number of sites over the time of a recording. */
#include "dump/record/series.h"

#include "dump/base/memory.h"

#include <stdlib.h>

/* 256 MiB of them. */
enum { AMOUNTS_MOST = 1 << 25 };

uint64_t series_live_bytes(const struct counters *counters) {
    return counters->live_bytes;
}

static uint64_t amount(const struct series *series, const struct recording *from, size_t site) {
    struct counters counters = counters_recorded(&from->sites[site].now);
    return series->value(&counters);
}

static void take_point(struct series *series, const struct recording *from, size_t point) {
    series->resident[point] = from->numbers[SAMPLE_RESIDENT];
    for (size_t i = RECORDED_SITES; i < from->site_count; i++)
        series->totals[point] += from->sites[i].view.backing ? 0 : amount(series, from, i);
    for (size_t i = 0; i < series->site_count; i++) {
        size_t site = (series->sites ? series->sites[i] : i) + RECORDED_SITES;
        size_t place = i * series->point_count + point;
        series->amounts[place] = site < from->site_count ? amount(series, from, site) : 0;
        if (series->lows)
            series->lows[place] = series->amounts[place];
    }
}

static void take_lows(struct series *series, const struct recording *from, size_t point) {
    for (size_t i = 0; i < from->changed_count; i++) {
        size_t site = from->changed[i];
        if (site < RECORDED_SITES)
            continue;
        uint64_t *low = &series->lows[(site - RECORDED_SITES) * series->point_count + point];
        uint64_t now = amount(series, from, site);
        *low = now < *low ? now : *low;
    }
}

static void visit(void *context, const struct recording *from, size_t point, bool is_at) {
    struct series *series = context;
    if (is_at)
        take_point(series, from, point);
    else if (series->lows)
        take_lows(series, from, point);
}

void series_make(struct series *series, const struct moment *moment, const size_t *sites, size_t count,
                 size_t most, series_value *value) {
    count = sites ? count : moment->recording.site_count - RECORDED_SITES;
    size_t fit = AMOUNTS_MOST / (count + 1);
    *series = (struct series){.moment = moment, .value = value, .sites = sites, .site_count = count};
    most = !most || most > fit ? fit : most;
    series->points = moment_points(moment, most > 2 ? most : 2, &series->point_count);
    series->amounts = memory_zeros(count * series->point_count, sizeof *series->amounts);
    series->lows = sites ? NULL : memory_zeros(count * series->point_count, sizeof *series->lows);
    series->totals = memory_zeros(series->point_count, sizeof *series->totals);
    series->resident = memory_zeros(series->point_count, sizeof *series->resident);
    moment_walk(moment, series->points, series->point_count, visit, series);
}

void series_free(struct series *series) {
    free(series->points);
    free(series->amounts);
    free(series->lows);
    free(series->totals);
    free(series->resident);
}
