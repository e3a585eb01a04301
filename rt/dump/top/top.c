/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the allocations of a running program repeatedly. */
#include "dump/top/top.h"

#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/process/process.h"
#include "model/report.h"
#include "write/lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void free_snapshot(struct snapshot *snapshot) {
    if (!snapshot)
        return;
    if (snapshot->is_joined)
        joined_free(&snapshot->joined);
    else
        report_source_free(&snapshot->source);
    free(snapshot->sites);
    by_stack_free(&snapshot->by_stack);
    free(snapshot);
}

/* Skips a profile that is incomplete or gone until the next refresh. */
static bool join_folder(struct top *top, struct snapshot *snapshot, char **files, int count,
                        struct reason *why) {
    struct report_source source;
    bool is_running = false;
    for (int i = 0; i < count; i++) {
        if (!report_source_load(&source, files[i], why))
            continue;
        is_running |= source.report->running;
        report_source_lines(&source, &top->names);
        joined_add(&snapshot->joined, source.report);
        report_source_free(&source);
    }
    if (!snapshot->joined.reports)
        return reason_set(why, "has no profile");
    joined_report(&snapshot->joined);
    snapshot->is_joined = true;
    snapshot->source.report = &snapshot->joined.report;
    snapshot->source.report->running = is_running;
    return true;
}

static bool load_folder(struct top *top, struct snapshot *snapshot, struct reason *why) {
    int count;
    char **files = folder_files(top->path, &count);
    if (!files)
        return reason_errno(why);
    bool is_loaded = join_folder(top, snapshot, files, count, why);
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
    return is_loaded;
}

/* NULL: *why has the reason. */
static struct snapshot *take_snapshot(struct top *top, struct reason *why) {
    static char directory[PATH_MAX];
    struct report_limits everything = {.pairs = true, .sizes = true, .lifetimes = true};
    struct snapshot *snapshot = memory_zeros(1, sizeof *snapshot);
    top->names.is_quiet = true;
    progress_off();
    bool is_loaded = top->is_folder ? load_folder(top, snapshot, why)
                                    : report_source_load(&snapshot->source, top->path, why);
    if (!is_loaded) {
        free(snapshot);
        return NULL;
    }
    struct report *report = snapshot->source.report;
    clock_gettime(CLOCK_MONOTONIC, &snapshot->time);
    report->directory = getcwd(directory, sizeof directory);
    line_fit(report, STDOUT_FILENO);
    report->is_coloured = false;
    if (!snapshot->is_joined)
        report_source_lines(&snapshot->source, &top->names);
    report_prepare(report, &everything);
    snapshot->report = report;
    if (top->is_by_stack) {
        by_stack_make(&snapshot->by_stack, report, &top->names);
        snapshot->report = report = &snapshot->by_stack.report;
    }
    line_names(report, NULL);
    snapshot->sites = memory_copy(report->sites, report->counted * sizeof(struct report_site *));
    order_sites_by_identity(snapshot->sites, report->counted);
    return snapshot;
}

static int compare_identity(const void *site, const void *element) {
    return order_identity(site, *(struct report_site *const *)element);
}

/* NULL: the snapshot does not have the site. */
static const struct report_site *find_in(const struct snapshot *snapshot, const struct report_site *site) {
    size_t count = snapshot->report->counted;
    struct report_site **found =
        count ? bsearch(site, snapshot->sites, count, sizeof *found, compare_identity) : NULL;
    return found ? *found : NULL;
}

bool top_refresh(struct top *top, struct reason *why) {
    struct snapshot *now = take_snapshot(top, why);
    if (!now)
        return false;
    /* the counters changed between the reading and the program's end: read again */
    struct reason unimportant;
    bool has_ended = !now->source.report->running && !(top->now && top_is_over(top));
    struct snapshot *last = has_ended ? take_snapshot(top, &unimportant) : NULL;
    if (last) {
        free_snapshot(now);
        now = last;
    }
    top->count = 0;
    if (top->opened)
        top->opened = find_in(now, top->opened);
    if (top->before != top->base)
        free_snapshot(top->before);
    top->before = top->now;
    top->now = now;
    return true;
}

void top_reset(struct top *top) {
    if (top->base != top->before && top->base != top->now)
        free_snapshot(top->base);
    top->base = top->now;
}

void top_open(struct top *top, const struct top_row *row) {
    top->opened = find_in(top->now, row->site);
}

void top_close(struct top *top) {
    free(top->rows);
    free(top->since);
    if (top->base != top->before && top->base != top->now)
        free_snapshot(top->base);
    free_snapshot(top->before);
    free_snapshot(top->now);
    symbolizer_free(&top->names);
}

/* Subtracts the calls and bytes of the base. The program may have reset its counters since. */
static struct report_site count_since(const struct report_site *site, const struct report_site *base) {
    struct report_site since = *site;
    if (!base || counters_calls(&base->counters) > counters_calls(&site->counters))
        return since;
#define TOP_SUBTRACT(name) since.counters.name -= base->counters.name;
    ALLOCSITE_FLOW(TOP_SUBTRACT)
#undef TOP_SUBTRACT
    return since;
}

static uint64_t per_second(const struct top *top, uint64_t before, uint64_t now) {
    const struct timespec *from = &top->before->time, *to = &top->now->time;
    double seconds = (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) / 1e9;
    /* the counters were reset */
    return now > before && seconds > 0 ? (uint64_t)((double)(now - before) / seconds + 0.5) : 0;
}

static struct rate rate_of(const struct top *top, const struct report_site *site,
                           const struct report_site *before) {
    static const struct report_site nothing;
    const struct counters *was = before ? &before->counters : &nothing.counters, *is = &site->counters;
    return (struct rate){.allocs = per_second(top, counters_calls(was), counters_calls(is)),
                         .bytes = per_second(top, counters_bytes(was), counters_bytes(is))};
}

static bool contains_ignoring_case(const char *text, const char *filter) {
    return text && strcasestr(text, filter);
}

static bool is_place_wanted(const struct place *place, const char *filter) {
    return contains_ignoring_case(place->function, filter) || contains_ignoring_case(place->file, filter);
}

static bool is_wanted(const struct report_site *site, const char *filter) {
    const struct site_view *view = &site->view;
    bool is_wanted =
        !*filter || is_place_wanted(&view->at, filter) || contains_ignoring_case(view->callee, filter) ||
        contains_ignoring_case(view->type, filter) || contains_ignoring_case(view->module, filter);
    for (size_t i = 0; !is_wanted && i < view->inlined_count; i++)
        is_wanted = is_place_wanted(&view->inlined[i], filter);
    return is_wanted;
}

static uint64_t sort_key(const struct top_row *row, enum measure sort) {
    return sort == TOP_BY_RATE ? row->rate.bytes : measure_of(row->site, sort);
}

/* Equal rows keep their places between refreshes. */
static int compare_rows(const void *a, const void *b, void *sort) {
    const struct top_row *left = a, *right = b;
    const enum measure sorts[] = {*(enum measure *)sort, TOP_BY_RATE, MEASURE_BYTES};
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        uint64_t larger = sort_key(left, sorts[i]), smaller = sort_key(right, sorts[i]);
        if (larger != smaller)
            return larger > smaller ? -1 : 1;
    }
    return order_identity(left->site, right->site);
}

void top_select(struct top *top, const struct top_view *view) {
    const struct report *report = top_report(top);
    enum measure sort = view->sort;
    struct top_row *rows = memory_zeros(report->counted, sizeof *rows);
    free(top->rows);
    free(top->since);
    top->rows = rows;
    top->since = top->base ? memory_zeros(report->counted, sizeof *top->since) : NULL;
    top->count = 0;
    top->sort = sort;
    bool has_rates = top_has_rates(top);
    top->total =
        has_rates ? rate_of(top, &report->totals, &top->before->report->totals) : (struct rate){.allocs = 0};
    for (size_t i = 0; i < report->counted; i++) {
        const struct report_site *site = report->sites[i];
        if (!is_wanted(site, view->filter))
            continue;
        struct top_row *row = &rows[top->count++];
        *row = (struct top_row){.site = site};
        if (has_rates)
            row->rate = rate_of(top, site, find_in(top->before, site));
        if (!top->base)
            continue;
        top->since[i] = count_since(site, find_in(top->base, site));
        row->site = &top->since[i];
    }
    qsort_r(rows, top->count, sizeof *rows, compare_rows, &sort);
}
