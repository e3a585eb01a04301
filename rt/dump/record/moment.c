/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads the report of one moment of a recording. */
#include "dump/record/moment.h"

#include "dump/base/memory.h"

#include <stdlib.h>
#include <time.h>

static const double second = 1e9;

static double unit_of(const char *text) {
    static const char *const names[] = {"", "s", "m", "h", "d"};
    static const double seconds[] = {1, 1, 60, 3600, 86400};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return seconds[i];
    return 0;
}

static bool clock_time(const char *text, uint64_t *time) {
    struct tm tm = {.tm_year = 0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    time_t seconds = timegm(&tm);
    *time = (uint64_t)seconds * 1000000000;
    return end && (!*end || strcmp(end, "Z") == 0) && seconds >= 0;
}

bool moment_time(const char *text, uint64_t first, uint64_t last, uint64_t *time) {
    char *end;
    bool from_end = *text == '-';
    double seconds = strtod(text + from_end, &end), unit = unit_of(end);
    const char *digits = text + from_end;
    if (digits[strspn(digits, "0123456789.smhd")] || end == digits || !unit)
        return clock_time(text, time);
    double distance = seconds * unit * second;
    if (distance > 9e18)
        return false;
    uint64_t by = (uint64_t)(distance + 0.5);
    *time = !from_end ? first + by : by < last ? last - by : 0;
    return true;
}

/* Seconds since the first sample, for the user. */
static double seconds_since_first(const struct moment *moment, uint64_t time) {
    uint64_t first = moment->times[0];
    return time > first ? (double)(time - first) / second : -(double)(first - time) / second;
}

/* The last sample is valid until the next one would have been taken. */
static bool choose_sample(struct moment *moment, const char *at, struct reason *why) {
    size_t last = moment->time_count - 1;
    uint64_t end = moment->times[last], time;
    moment->number = last;
    if (!at)
        return true;
    if (!moment_time(at, moment->times[0], end, &time))
        return reason_set(
            why,
            "%.40s is not a time: seconds, 90s, 5m, 2h, -90s from the end, or 2026-01-31T23:59:59 in UTC",
            at);
    if (time < moment->times[0] || (time > end && time - end > moment->recording.head[HEAD_INTERVAL]))
        return reason_set(why, "has nothing at %.3f s: it is %.3f s long", seconds_since_first(moment, time),
                          seconds_since_first(moment, end));
    /* times are shown in milliseconds */
    while (moment->number && moment->times[moment->number] / 1000000 > time / 1000000)
        moment->number--;
    return true;
}

static bool list_times(struct moment *moment, size_t size, struct reason *why) {
    struct recording *from = &moment->recording;
    if (!recording_open(from, moment->bytes, size, why))
        return false;
    while (recording_next(from)) {
        memory_grow(&moment->times, moment->time_count, &moment->time_capacity, sizeof *moment->times);
        moment->times[moment->time_count++] = from->numbers[SAMPLE_TIME];
    }
    moment->report.damaged = from->is_damaged;
    return true;
}

static void make_rows(struct moment *moment) {
    const struct recording *from = &moment->recording;
    struct report *report = &moment->report;
    report->site_count = from->site_count - RECORDED_SITES;
    moment->rows = memory_zeros(report->site_count, sizeof *moment->rows);
    report->sites = memory_zeros(report->site_count, sizeof *report->sites);
    for (size_t i = 0; i < report->site_count; i++) {
        const struct recorded_site *site = &from->sites[i + RECORDED_SITES];
        moment->rows[i] = (struct report_site){.view = site->view, .counters = counters_recorded(&site->now)};
        report->sites[i] = &moment->rows[i];
    }
}

static void set_reasons(struct moment *moment) {
    const struct recording *from = &moment->recording;
    bool is_damaged = moment->report.damaged;
    size_t count = 0;
    moment->reasons = memory_zeros(from->reason_count + 2, sizeof *moment->reasons);
    if (is_damaged)
        moment->reasons[count++] =
            "the recording is damaged: everything after its last complete sample is lost";
    if (from->has_unknown)
        moment->reasons[count++] = "there are counters of a newer allocsite that this version does not know";
    for (size_t i = 0; i < from->reason_count; i++)
        moment->reasons[count++] = from->reasons[i];
    moment->report.reasons = moment->reasons;
    moment->report.reason_count = count;
}

static void make_report(struct moment *moment) {
    const struct recording *from = &moment->recording;
    const uint64_t *numbers = from->numbers;
    struct report *report = &moment->report;
    report->program = from->program ?: "?";
    report->pid = from->head[HEAD_PID];
    report->forked = from->head[HEAD_FLAGS] & RECORDING_IS_FORKED;
    report->finished = numbers[SAMPLE_ENDED] != 0;
    report->running = numbers[SAMPLE_FLAGS] & RECORDING_RUNS;
    report->run = (struct report_run){
        .begun = from->head[HEAD_BEGUN], .ended = numbers[SAMPLE_ENDED], .command = from->command};
    report->sampled = (struct report_sampled){.time = numbers[SAMPLE_TIME],
                                              .since = numbers[SAMPLE_TIME] - moment->times[0],
                                              .number = moment->number + 1,
                                              .count = moment->time_count,
                                              .thinned = from->head[HEAD_THINNED],
                                              .resident = numbers[SAMPLE_RESIDENT]};
    report->peak_within = numbers[SAMPLE_WITHIN];
    report->has_custom = numbers[SAMPLE_FLAGS] & RECORDING_HAS_CUSTOM;
    report->custom = counters_recorded(&from->sites[RECORDED_CUSTOM].now);
    report->modules = from->modules;
    report->modules_size = from->module_count;
    make_rows(moment);
    set_reasons(moment);
}

/* Reads the recording again; it was valid the first time. */
static void reopen_recording(struct recording *from, const struct moment *moment) {
    struct reason unimportant;
    if (!recording_open(from, moment->bytes, moment->recording.size, &unimportant))
        abort();
}

static void go_to(struct moment *moment) {
    struct recording *from = &moment->recording, again;
    reopen_recording(&again, moment);
    recording_close(from);
    *from = again;
    for (size_t i = 0; i <= moment->number; i++)
        recording_next(from);
    make_report(moment);
}

bool moment_load(struct moment *moment, char *bytes, size_t size, const char *at, struct reason *why) {
    *moment = (struct moment){.bytes = bytes};
    if (!list_times(moment, size, why))
        return false;
    bool is_chosen = moment->time_count ? choose_sample(moment, at, why)
                                        : reason_set(why, "is a recording without a complete sample");
    if (is_chosen) {
        go_to(moment);
        return true;
    }
    recording_close(&moment->recording);
    free(moment->times);
    return false;
}

void moment_free(struct moment *moment) {
    recording_close(&moment->recording);
    free(moment->bytes);
    free(moment->times);
    free(moment->rows);
    free(moment->report.sites);
    free(moment->reasons);
}

/* ---- Samples up to the moment. */

/* The index of the sample's interval, of `parts` equal intervals; the last sample is the end of the last
 * one. */
static uint64_t part_of(const struct moment *moment, size_t number, size_t parts) {
    uint64_t first = moment->times[0], whole = moment->times[moment->number] - first;
    return whole ? (uint64_t)((unsigned __int128)(moment->times[number] - first) * parts / whole) : number;
}

size_t *moment_points(const struct moment *moment, size_t most, size_t *count) {
    size_t *points = memory_zeros(moment->number + 1, sizeof *points);
    bool all = !most || moment->number < most;
    *count = 0;
    for (size_t i = 0; i <= moment->number; i++)
        if (all || i == 0 || part_of(moment, i, most - 1) != part_of(moment, i - 1, most - 1))
            points[(*count)++] = i;
    return points;
}

void moment_walk(const struct moment *moment, const size_t *points, size_t count, moment_visitor *visit,
                 void *context) {
    struct recording from;
    reopen_recording(&from, moment);
    for (size_t i = 0, point = 0; i <= points[count - 1]; i++) {
        recording_next(&from);
        point += point + 1 < count && points[point + 1] == i;
        visit(context, &from, point, points[point] == i);
    }
    recording_close(&from);
}

/* ---- Counters of sites over time. */

/* 256 MiB. */
enum { AMOUNTS_MOST = 1 << 25 };

uint64_t series_live_bytes(const struct counters *counters) {
    return counters->live_bytes;
}

static uint64_t series_amount(const struct series *series, const struct recording *from, size_t site) {
    struct counters counters = counters_recorded(&from->sites[site].now);
    return series->value(&counters);
}

static void take_point(struct series *series, const struct recording *from, size_t point) {
    series->resident[point] = from->numbers[SAMPLE_RESIDENT];
    for (size_t i = RECORDED_SITES; i < from->site_count; i++)
        series->totals[point] += from->sites[i].view.outside_totals ? 0 : series_amount(series, from, i);
    for (size_t i = 0; i < series->site_count; i++) {
        size_t site = (series->sites ? series->sites[i] : i) + RECORDED_SITES;
        size_t place = i * series->point_count + point;
        series->amounts[place] = site < from->site_count ? series_amount(series, from, site) : 0;
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
        uint64_t now = series_amount(series, from, site);
        *low = now < *low ? now : *low;
    }
}

static void visit_point(void *context, const struct recording *from, size_t point, bool is_at) {
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
    moment_walk(moment, series->points, series->point_count, visit_point, series);
}

void series_free(struct series *series) {
    free(series->points);
    free(series->amounts);
    free(series->lows);
    free(series->totals);
    free(series->resident);
}
