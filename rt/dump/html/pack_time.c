/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What sites had at points of a recording: of each point what has changed since the one before. */
#include "dump/base/memory.h"
#include "dump/html/pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Points that are shown, and numbers that a browser should have to read. */
enum { POINTS = 240, NUMBERS_MOST = 1 << 22 };

/* As in the metrics of the page. */
enum { TIMED_BYTES, TIMED_CALLS, TIMED_LIVE, TIMED_PEAK, TIMED_CHURN, TIMED };

struct timed {
    struct json *json;
    const struct moment *moment;
    const size_t *numbers, *points;
    size_t point_count;
    uint64_t (*before)[TIMED], *resident;
};

static void values_of(uint64_t values[TIMED], const struct recorded_counters *recorded) {
    struct counters counters = counters_recorded(recorded);
    values[TIMED_BYTES] = counters_bytes(&counters);
    values[TIMED_CALLS] = counters_calls(&counters);
    values[TIMED_LIVE] = counters.live_bytes;
    values[TIMED_PEAK] = counters.peak_bytes;
    values[TIMED_CHURN] = counters.freed_bytes + counters.moved_bytes;
}

static void put_difference(struct json *json, uint64_t difference) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, (int64_t)difference);
    json_key(json, NULL);
    out_text(json->out, text);
    json->follows = true;
}

static void put_site(struct timed *timed, size_t site, const struct recorded_counters *recorded) {
    uint64_t now[TIMED], *before = timed->before[site];
    values_of(now, recorded);
    if (timed->numbers[site] == SIZE_MAX || memcmp(now, before, sizeof now) == 0)
        return;
    json_number(timed->json, NULL, timed->numbers[site]);
    for (int i = 0; i < TIMED; i++)
        put_difference(timed->json, now[i] - before[i]);
    memcpy(before, now, sizeof now);
}

static void put_point(void *context, const struct recording *from, size_t point, bool is_at) {
    struct timed *timed = context;
    if (!is_at)
        return;
    timed->resident[point] = from->numbers[SAMPLE_RESIDENT];
    json_line(timed->json);
    json_open(timed->json, NULL, '[');
    for (size_t i = RECORDED_SITES; i < from->site_count; i++)
        put_site(timed, i - RECORDED_SITES, &from->sites[i].now);
    json_close(timed->json, ']');
}

static void put_rest(struct timed *timed) {
    json_open(timed->json, "ms", '[');
    for (size_t i = 0; i < timed->point_count; i++)
        json_number(timed->json, NULL, timed->moment->times[timed->points[i]] / 1000000);
    json_close(timed->json, ']');
    json_open(timed->json, "resident", '[');
    for (size_t i = 0; i < timed->point_count; i++)
        json_number(timed->json, NULL, timed->resident[i]);
    json_close(timed->json, ']');
    json_number(timed->json, "thinned", timed->moment->report.sampled.thinned);
}

void pack_time(struct json *json, const struct moment *moment, const size_t *numbers) {
    size_t sites = moment->recording.site_count, fit = NUMBERS_MOST / (sites + 1) / TIMED, count;
    size_t *points = moment_points(moment, fit < 2 ? 2 : fit < POINTS ? fit : POINTS, &count);
    struct timed timed = {.json = json,
                          .moment = moment,
                          .numbers = numbers,
                          .points = points,
                          .point_count = count,
                          .before = memory_zeros(sites, sizeof *timed.before),
                          .resident = memory_zeros(count, sizeof *timed.resident)};
    json_line(json);
    json_open(json, "time", '{');
    json_open(json, "rows", '[');
    moment_walk(moment, points, count, put_point, &timed);
    json_close(json, ']');
    put_rest(&timed);
    json_close(json, '}');
    free(timed.before);
    free(timed.resident);
    free(points);
}
