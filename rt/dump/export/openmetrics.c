/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report in the OpenMetrics text format, or in Prometheus' older one: a time series for each value
 * of the first sites. Stacks are not labels, because their number is unbounded.
 *
 * Values that only grow are counters. For gauges one more series has the sum of the other sites. For counters
 * that sum would shrink when a site enters the first ones, and Prometheus would take that for a restart;
 * their total is a separate metric instead.
 *
 * The formats differ in the name by which a counter is described: OpenMetrics requires it without _total. */
#include "dump/export/export.h"
#include "names/names.h"

#include <stdio.h>
#include <stdlib.h>

struct metric {
    const char *name, *help;
    bool is_counter;
};

static const struct metric metrics[SAMPLE_VALUES] = {
    [SAMPLE_CALLS] = {"allocsite_allocations", "Allocations and reallocations so far.", true},
    [SAMPLE_BYTES] = {"allocsite_allocated_bytes", "Bytes that they requested.", true},
    [SAMPLE_LIVE_BLOCKS] = {"allocsite_live_blocks", "Blocks that are allocated.", false},
    [SAMPLE_LIVE_BYTES] = {"allocsite_live_bytes", "Bytes of these.", false},
    [SAMPLE_PEAK_BLOCKS] = {"allocsite_peak_blocks", "Blocks that were live at the peak of live bytes.",
                            false},
    [SAMPLE_PEAK_BYTES] = {"allocsite_peak_bytes", "Bytes of these.", false},
};

/* Sums over all sites, and by phase. Series for each site and phase would be too many. */
static const struct metric sums[] = {
    [SAMPLE_CALLS] = {"allocsite_program_allocations", "Allocations and reallocations of all sites.", true},
    [SAMPLE_BYTES] = {"allocsite_program_allocated_bytes", "Bytes that they requested.", true},
};

static const struct metric phases[SAMPLE_PHASED] = {
    [SAMPLE_CALLS] = {"allocsite_phase_allocations", "Allocations and reallocations in a phase.", true},
    [SAMPLE_BYTES] = {"allocsite_phase_allocated_bytes", "Bytes that they requested.", true},
};

/* Plain text contains no newlines. Quotes and backslashes are escaped. */
static void put_escaped(struct out *out, const char *text) {
    while (*text) {
        if (*text == '"' || *text == '\\')
            out_char(out, '\\');
        text += out_plain_character(out, text);
    }
}

static void put_label(struct out *out, const char *name, const char *text) {
    if (!text)
        return;
    out_print(out, ",%s=\"", name);
    put_escaped(out, text);
    out_char(out, '"');
}

static void put_site(struct out *out, const struct samples *samples, const struct site_view *site) {
    char function[NAME_SIZE], number[32];
    name_function(function, site->at.function, NAME_SIZE);
    put_label(out, "function", site->at.function && !samples->full_names ? function : site->at.function);
    put_label(out, "file", site->at.file);
    snprintf(number, sizeof number, "%u", site->at.line);
    put_label(out, "line", site->at.file ? number : NULL);
    snprintf(number, sizeof number, "%u", site->at.column);
    put_label(out, "column", site->at.file ? number : NULL);
    put_label(out, "callee", site->callee);
    put_label(out, "type", site->type);
    put_label(out, "module", site->module);
    out_text(out, ",site=\"");
    out_hex16(out, site->id);
    out_char(out, '"');
}

/* Seconds. Prometheus' older format is read in milliseconds, so whole seconds are safe; samples of a
 * recording may be less than a second apart. */
static void put_time(struct out *out, const struct samples *samples, uint64_t time) {
    out_print(out, " %lu", time / 1000000000);
    if (!samples->moment)
        return;
    char decimals[8];
    snprintf(decimals, sizeof decimals, ".%03u", (unsigned)(time / 1000000 % 1000));
    out_text(out, decimals);
}

static void begin_sample(struct out *out, const struct samples *samples, const struct metric *metric) {
    out_print(out, "%s%s{program=\"", metric->name, metric->is_counter ? "_total" : "");
    put_escaped(out, samples->report->program);
    out_char(out, '"');
}

/* time: nanoseconds since 1970; 0: none, the counters are live. */
static void end_sample(struct out *out, const struct samples *samples, uint64_t amount, uint64_t time) {
    out_print(out, "} %lu", amount);
    if (time)
        put_time(out, samples, time);
    out_char(out, '\n');
}

static uint64_t time_of(const struct samples *samples) {
    return samples->is_now ? 0 : samples->report->run.ended;
}

/* site: NULL for the sum of all others. */
static void put_sample(struct out *out, const struct samples *samples, enum sample_value value,
                       const struct site_view *site, uint64_t amount, uint64_t time) {
    begin_sample(out, samples, &metrics[value]);
    if (site)
        put_site(out, samples, site);
    else
        put_label(out, "site", "other");
    end_sample(out, samples, amount, time);
}

static uint64_t value_of(const struct counters *counters, enum sample_value value) {
    uint64_t values[SAMPLE_VALUES];
    sample_values(values, counters);
    return values[value];
}

/* The report's sites are in the requested order. */
static void put_metric(struct out *out, const struct samples *samples, enum sample_value value) {
    const struct report *report = samples->report;
    uint64_t others = value_of(&report->totals.counters, value), time = time_of(samples);
    size_t shown = 0, i = 0;
    for (; i < report->counted && (!samples->top || shown < samples->top); i++) {
        const struct report_site *site = report->sites[i];
        if (site->view.outside_totals)
            continue;
        uint64_t amount = value_of(&site->counters, value);
        put_sample(out, samples, value, &site->view, amount, time);
        others -= amount;
        shown++;
    }
    if (!metrics[value].is_counter && i < report->counted)
        put_sample(out, samples, value, NULL, others, time);
}

/* ---- Recordings: the values at each sample. */

#define VALUE(name, value)                                                                                   \
    static uint64_t name(const struct counters *counters) {                                                  \
        return value_of(counters, value);                                                                    \
    }
VALUE(calls, SAMPLE_CALLS)
VALUE(bytes, SAMPLE_BYTES)
VALUE(live_blocks, SAMPLE_LIVE_BLOCKS)
VALUE(live_bytes, SAMPLE_LIVE_BYTES)
VALUE(peak_blocks, SAMPLE_PEAK_BLOCKS)
VALUE(peak_bytes, SAMPLE_PEAK_BYTES)

static void put_others(struct out *out, const struct samples *samples, enum sample_value value,
                       const struct series *series) {
    for (size_t point = 0; point < series->point_count; point++) {
        uint64_t others = series->totals[point];
        for (size_t i = 0; i < series->site_count; i++)
            others -= series_of(series, i)[point];
        put_sample(out, samples, value, NULL, others, series_time(series, point));
    }
}

static series_value *const series_values[SAMPLE_VALUES] = {[SAMPLE_CALLS] = calls,
                                                           [SAMPLE_BYTES] = bytes,
                                                           [SAMPLE_LIVE_BLOCKS] = live_blocks,
                                                           [SAMPLE_LIVE_BYTES] = live_bytes,
                                                           [SAMPLE_PEAK_BLOCKS] = peak_blocks,
                                                           [SAMPLE_PEAK_BYTES] = peak_bytes};

static void put_series(struct out *out, const struct samples *samples, enum sample_value value) {
    struct series series;
    size_t count, *sites = samples_numbers(samples, &count);
    series_make(&series, samples->moment, sites, count, 0, series_values[value]);
    for (size_t i = 0; i < count; i++)
        for (size_t point = 0; point < series.point_count; point++)
            put_sample(out, samples, value, &samples->moment->rows[sites[i]].view,
                       series_of(&series, i)[point], series_time(&series, point));
    if (!metrics[value].is_counter && count == samples->top)
        put_others(out, samples, value, &series);
    series_free(&series);
    free(sites);
}

static void put_head(struct out *out, const struct samples *samples, const struct metric *metric) {
    const char *end = metric->is_counter && samples->is_older ? "_total" : "";
    const char *const parts[] = {"# HELP ",    metric->name, end,
                                 " ",          metric->help, "\n# TYPE ",
                                 metric->name, end,          metric->is_counter ? " counter\n" : " gauge\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        out_text(out, parts[i]);
}

static void put_sum(struct out *out, const struct samples *samples, enum sample_value value) {
    struct series series = {.point_count = 0};
    put_head(out, samples, &sums[value]);
    if (samples->moment)
        series_make(&series, samples->moment, NULL, 0, 0, series_values[value]);
    for (size_t point = 0; point < series.point_count; point++) {
        begin_sample(out, samples, &sums[value]);
        end_sample(out, samples, series.totals[point], series_time(&series, point));
    }
    if (samples->moment) {
        series_free(&series);
        return;
    }
    begin_sample(out, samples, &sums[value]);
    end_sample(out, samples, value_of(&samples->report->totals.counters, value), time_of(samples));
}

static void put_phases(struct out *out, const struct samples *samples, enum sample_value value) {
    if (samples->phase_count)
        put_head(out, samples, &phases[value]);
    for (size_t i = 0; i < samples->phase_count; i++) {
        uint64_t sum = 0;
        for (size_t at = samples->phase_first[i]; at < samples->phase_first[i + 1]; at++)
            sum += samples->list[samples->phased[at]].values[value];
        begin_sample(out, samples, &phases[value]);
        put_label(out, "phase", samples->phase_names[i]);
        end_sample(out, samples, sum, time_of(samples));
    }
}

void export_openmetrics(struct out *out, const struct samples *samples) {
    for (size_t i = 0; i < samples->value_count; i++) {
        put_head(out, samples, &metrics[i]);
        (samples->moment ? put_series : put_metric)(out, samples, (enum sample_value)i);
    }
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        put_sum(out, samples, (enum sample_value)i);
    for (size_t i = 0; i < SAMPLE_PHASED; i++)
        put_phases(out, samples, (enum sample_value)i);
    if (!samples->is_older)
        out_text(out, "# EOF\n");
}
