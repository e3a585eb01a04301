/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a recording in the trace format of Chrome: live bytes over time as counters, with a track for each
 * of the first sites. A counter keeps its value until the next event. */
#include "base/out.h"
#include "dump/base/memory.h"
#include "dump/export/export.h"
#include "names/names.h"
#include "write/lines.h"

#include <stdio.h>
#include <stdlib.h>

struct trace {
    struct json json;
    const struct samples *samples;
    struct series series;
    uint64_t *others; /* sum over sites without a track */
};

static void begin_event(struct trace *trace, const char *phase, const char *name) {
    json_open_line(&trace->json, NULL, '{');
    json_text(&trace->json, "ph", phase);
    json_number(&trace->json, "pid", trace->samples->report->pid);
    json_text(&trace->json, "name", name);
}

static void put_counter(struct trace *trace, const char *name, size_t point, uint64_t amount) {
    begin_event(trace, "C", name);
    json_number(&trace->json, "ts", series_time(&trace->series, point) / 1000);
    json_open(&trace->json, "args", '{');
    json_number(&trace->json, "bytes", amount);
    json_close(&trace->json, '}');
    json_close(&trace->json, '}');
}

/* An unchanged value needs no event. */
static void put_track(struct trace *trace, const char *name, const uint64_t *amounts) {
    for (size_t i = 0; i < trace->series.point_count; i++)
        if (i == 0 || amounts[i] != amounts[i - 1])
            put_counter(trace, name, i, amounts[i]);
}

/* The name includes column or address, so two sites of one line are separate tracks. */
static void put_site(struct trace *trace, size_t index) {
    const struct site_view *view = &trace->series.moment->rows[trace->series.sites[index]].view;
    char name[2 * NAME_SIZE], function[NAME_SIZE];
    struct out out;
    out_open_memory(&out, name, sizeof name);
    if (view->sited)
        place_write(&out, &view->at, trace->samples->report->directory);
    else
        out_plain(&out, view->module);
    if (view->address)
        out_print(&out, "+0x%lx", view->address);
    name_function(function, view->at.function, NAME_SIZE);
    out_text(&out, view->at.function ? " " : "");
    out_plain(&out, view->at.function ? function : "");
    put_track(trace, name, series_of(&trace->series, index));
}

static void put_program(struct trace *trace) {
    begin_event(trace, "M", "process_name");
    json_open(&trace->json, "args", '{');
    json_text(&trace->json, "name", trace->samples->report->program);
    json_close(&trace->json, '}');
    json_close(&trace->json, '}');
}

static void count_others(struct trace *trace) {
    const struct series *series = &trace->series;
    trace->others = memory_copy(series->totals, series->point_count * sizeof *trace->others);
    for (size_t i = 0; i < series->site_count; i++)
        for (size_t j = 0; j < series->point_count; j++)
            trace->others[j] -= series_of(series, i)[j];
}

void export_trace(struct out *out, const struct samples *samples) {
    struct trace trace = {.json = {.out = out}, .samples = samples};
    size_t count, *sites = samples_numbers(samples, &count);
    series_make(&trace.series, samples->moment, sites, count, 0, series_live_bytes);
    count_others(&trace);
    json_open(&trace.json, NULL, '{');
    json_open(&trace.json, "traceEvents", '[');
    put_program(&trace);
    put_track(&trace, "all live bytes", trace.series.totals);
    put_track(&trace, "resident memory", trace.series.resident);
    for (size_t i = 0; i < count; i++)
        put_site(&trace, i);
    if (count == samples->top)
        put_track(&trace, "live bytes of other sites", trace.others);
    json_close(&trace.json, ']');
    json_end(&trace.json);
    series_free(&trace.series);
    free(trace.others);
    free(sites);
}
