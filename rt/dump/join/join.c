/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges reports. */
#include "dump/join/join.h"

#include "base/hash.h"
#include "dump/base/hash_index.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/base/terminal.h"
#include "dump/load/loaded.h"
#include "model/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The reason why leaked blocks are unknown if only some of the processes know them. */
static const char not_all_asked[] = "not all processes were asked";

static bool is_row(const void *key, const void *context, size_t element) {
    const struct joined *joined = context;
    return order_identity(key, &joined->rows[element]->row) == 0;
}

/* The row owns its inline chain. */
static struct joined_row *new_row(struct joined *joined, const struct site_view *from, uint64_t hash) {
    struct joined_row *row = memory_zeros(1, sizeof *row);
    row->places = site_keep(&row->row.view, from, &joined->strings);
    memory_grow(&joined->rows, joined->row_count, &joined->row_capacity, sizeof *joined->rows);
    hash_put(&joined->row_index, hash, joined->row_count);
    return joined->rows[joined->row_count++] = row;
}

static struct joined_row *row_for(struct joined *joined, const struct report_site *site) {
    uint64_t hash = site_hash(&site->view);
    size_t found = hash_find(&joined->row_index, hash, is_row, site, joined);
    return found == HASH_NONE ? new_row(joined, &site->view, hash) : joined->rows[found];
}

static void add_sizes(struct joined *joined, struct report_site *row, const struct report_site *part) {
    if (!part->sizes)
        return;
    if (!row->sizes)
        row->sizes = memory_zeros(SIZE_CLASSES, sizeof *row->sizes);
    for (int i = 0; i < SIZE_CLASSES; i++)
        joined_add_to(joined, &row->sizes[i], part->sizes[i]);
}

static void add_lifetimes(struct joined *joined, struct report_site *row, const struct report_site *part) {
    if (!part->lifetimes)
        return;
    if (!row->lifetimes)
        row->lifetimes = memory_zeros(1, sizeof *row->lifetimes);
    for (int i = 0; i < LIFETIMES_COUNTERS; i++)
        joined_add_to(joined, &row->lifetimes->counters[i], part->lifetimes->counters[i]);
}

static void add_row(struct joined *joined, struct report_site *site) {
    struct joined_row *row = row_for(joined, site);
    site->merged = &row->row;
    joined_add_counters(joined, &row->row.counters, &row->peak_of, &site->counters);
    add_sizes(joined, &row->row, site);
    add_lifetimes(joined, &row->row, site);
}

static void see_peak(struct joined *joined, const struct report *report) {
    uint64_t peak = 0;
    for (size_t i = 0; i < report->site_count; i++)
        if (!report->sites[i]->view.outside_totals)
            joined_add_to(joined, &peak, report->sites[i]->counters.peak_bytes);
    joined_add_to(joined, &joined->peak_bound, peak);
    joined_add_to(joined, &joined->peak_bound, report->peak_within);
    if (joined->reports > 1 && peak <= joined->peak)
        return;
    joined->peak = peak;
    joined->peak_of = joined->reports;
}

/* Merged sizes are shown only if all reports have them. A report without allocations does not count. */
static bool has_calls(const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++)
        if (counters_calls(&report->sites[i]->counters))
            return true;
    return false;
}

/* The result must not depend on the order of reports: of several values the first in the alphabet is kept. */
/* When a program executes another one, its memory is gone and nothing in it was leaked. */
static void see_reach(struct joined *joined, const struct report *report) {
    const char *unknown = report->leaked_unknown;
    joined->with_reach += report->reach;
    joined->without_reach += !report->reach && report->run.ending != PROFILE_EXEC;
    if (!unknown)
        return;
    joined->asked_for_reach = true;
    bool is_known = joined->leaked_unknown && strcmp(joined->leaked_unknown, unknown) <= 0;
    if (!is_known && strcmp(unknown, not_all_asked) != 0)
        joined->leaked_unknown = string_keep(&joined->strings, unknown);
}

static void add_custom(struct joined *joined, const struct report *report) {
    if (!report->has_custom)
        return;
    joined->report.has_custom = true;
    joined_add_counters(joined, &joined->report.custom, &joined->custom_peak_of, &report->custom);
    if (report->forked)
        joined_add_untouched(joined, &report->custom, &joined->custom_untouched);
}

/* The stacks were added before. */
static void add_untouched(struct joined *joined, const struct report_site *site) {
    joined_add_untouched(joined, &site->counters, &((struct joined_row *)site->merged)->untouched);
}

void joined_add(struct joined *joined, struct report *report) {
    joined->reports++;
    joined->without_pairs += !report->has_pairs;
    joined->without_sizes += has_calls(report) && !report_has_sizes(report);
    joined->without_lifetimes += has_calls(report) && !report_has_lifetimes(report);
    see_peak(joined, report);
    see_reach(joined, report);
    joined_add_processes(joined, report);
    add_custom(joined, report);
    for (size_t i = 0; i < report->site_count; i++)
        add_row(joined, report->sites[i]);
    joined_add_stacks(joined, report);
    for (size_t i = 0; report->forked && i < report->site_count; i++)
        add_untouched(joined, report->sites[i]);
    joined_add_pairs(joined, report);
}

static void drop_sizes(struct report_site *row) {
    free(row->sizes);
    row->sizes = NULL;
}

static void drop_lifetimes(struct report_site *row) {
    free(row->lifetimes);
    row->lifetimes = NULL;
}

static void list_rows(struct joined *joined) {
    struct report *report = &joined->report;
    report->sites = memory_zeros(joined->row_count, sizeof *report->sites);
    for (size_t i = 0; i < joined->row_count; i++) {
        struct joined_row *row = joined->rows[i];
        if (row->peak_of != joined->peak_of)
            row->row.counters.peak_bytes = row->row.counters.peak_blocks = 0;
        if (joined->without_sizes)
            drop_sizes(&row->row);
        if (joined->without_lifetimes)
            drop_lifetimes(&row->row);
        report->sites[i] = &row->row;
    }
    report->site_count = joined->row_count;
    if (joined->custom_peak_of != joined->peak_of)
        report->custom.peak_bytes = report->custom.peak_blocks = 0;
}

static void set_reach(struct joined *joined) {
    joined->report.reach = joined->with_reach && !joined->without_reach;
    if (!joined->report.reach && (joined->with_reach || joined->asked_for_reach))
        joined->report.leaked_unknown = joined->leaked_unknown ? joined->leaked_unknown : not_all_asked;
}

void joined_report(struct joined *joined) {
    struct report *report = &joined->report;
    joined_take_untouched(joined);
    list_rows(joined);
    joined_list_processes(joined);
    joined_list_stacks(joined);
    joined_list_pairs(joined);
    set_reach(joined);
    report->peak_within = joined->peak_bound - joined->peak;
}

static void free_row(struct joined_row *row) {
    free(row->places);
    free(row->row.sizes);
    free(row->row.lifetimes);
    free(row);
}

void joined_free(struct joined *joined) {
    for (size_t i = 0; i < joined->row_count; i++)
        free_row(joined->rows[i]);
    joined_free_stacks(joined);
    joined_free_pairs(joined);
    free(joined->rows);
    free(joined->reasons);
    free(joined->programs);
    free(joined->walked_for);
    free(joined->reason_texts);
    free(joined->reasons_hold);
    free(joined->report.sites);
    hash_free(&joined->row_index);
    string_pool_free(&joined->strings);
}

/* ---- Merging files. */

/* Files that were read, by device and inode: index of the path. */
static bool is_read(struct number_map *files, char **paths, int file, struct reason *why) {
    struct stat status, earlier;
    if (stat(paths[file], &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    uint64_t key = hash_more(status.st_dev, status.st_ino);
    if (number_map_add(files, key, (uint64_t)file))
        return false;
    const char *path = paths[*number_map_find(files, key)];
    bool is_same =
        stat(path, &earlier) == 0 && earlier.st_dev == status.st_dev && earlier.st_ino == status.st_ino;
    if (is_same)
        reason_set(why, "is the same file as %s and is counted once", path);
    return is_same;
}

/* *status: set if the file is damaged, which is added nevertheless. */
static bool add_file(struct joined *joined, const char *path, join_visitor *visit, void *context, int *status,
                     struct reason *why) {
    struct report_source source;
    if (!report_source_load(&source, path, why))
        return false;
    *status |= laws_need_whole(path, source.report);
    bool is_wanted = !visit || visit(context, &source, why);
    if (is_wanted)
        joined_add(joined, source.report);
    report_source_free(&source);
    return is_wanted;
}

int join_files(struct joined *joined, char **paths, int count, join_visitor *visit, void *context) {
    int status = STATUS_DONE;
    struct reason why;
    struct number_map files = {0};
    for (int i = 0; i < count; i++) {
        progress_show("files", (uint64_t)i, (uint64_t)count);
        if (is_read(&files, paths, i, &why) || !add_file(joined, paths[i], visit, context, &status, &why))
            status = complain_file(paths[i], "%s", why.text);
    }
    number_map_free(&files);
    if (joined->reports)
        joined_report(joined);
    return status;
}
