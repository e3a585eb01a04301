/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows: sites, and groups from files. */
#include "dump/view/views.h"

#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"

#include <inttypes.h>
#include <stdlib.h>

void groups_make_room(struct groups *groups, size_t more) {
    groups->rows = memory_need(realloc(groups->rows, (groups->count + more + 1) * sizeof *groups->rows));
}

void groups_add_sites(struct groups *groups, const struct report *report) {
    groups_make_room(groups, groups_rows_needed(groups, report) + 1);
    groups_enter(groups, report);
}

static const struct type_layout *layout_of(const void *layouts, const struct site_view *view) {
    return type_layouts_of(layouts, view);
}

static struct group_key key_of_part(enum group_by by, const struct report_part *part) {
    struct group_key key = {.name = part->is_known ? NULL : ROW_UNNAMED};
    if (by == BY_PHASE && part->is_known)
        key.name = part->phase;
    if (by == BY_THREAD) {
        key.number = part->thread;
        key.pid = part->pid;
    }
    return key;
}

void groups_add_parts(struct groups *groups, const struct report *report) {
    groups_make_room(groups, report->part_count);
    for (size_t i = 0; i < report->part_count; i++)
        groups->rows[groups->count++] = (struct group){
            .key = key_of_part(groups->by, &report->parts[i]),
            .sum = {.counters = report->parts[i].counters},
            .peak = groups->by == BY_THREAD ? report->parts[i].thread_peak : report->parts[i].peak};
    groups_merge(groups);
    counters_add(&groups->before_reset, &report->before_reset);
}

bool groups_need_parts(const struct report_source *source, enum group_by by, struct reason *why) {
    const char *name = group_by_name(by);
    if (source->report->has_parts)
        return true;
    return reason_set(why, "has no %ss: it is a recording or was merged from one", name);
}

void groups_free(struct groups *groups) {
    free(groups->rows);
    free(groups->inclusive);
    groups->rows = NULL;
    groups->inclusive = NULL;
    groups->count = 0;
}

/* Returns the expected sum over the rows of parts. No part has allocated inherited blocks, and a reset does
 * not reduce the counts of parts. */
static struct report_site whole_of_parts(const struct groups *groups, const struct report_site *totals) {
    struct report_site whole = *totals;
    counters_add(&whole.counters, &groups->before_reset);
    whole.counters.live_blocks -= totals->counters.inherited_blocks;
    whole.counters.live_bytes -= totals->counters.inherited_bytes;
    return whole;
}

/* The sum over pairs is the number of freed blocks only after the program has ended. */
int groups_check(const char *path, const struct groups *groups, const struct report *report) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, groups->by, report->reach);
    bool of_parts = group_by_parts(groups->by), is_of_pairs = groups->by == BY_FREED;
    struct report_site whole = of_parts ? whole_of_parts(groups, &report->totals) : report->totals;
    int status = STATUS_DONE;
    for (size_t i = 0; i < count && (!is_of_pairs || report->finished); i++) {
        uint64_t left = group_counter_of(&groups->whole, &list[i]),
                 right = group_counter_of(&whole, &list[i]);
        if (left == right)
            continue;
        complain_file(path,
                      "breaks a law: sum of %s over all %ss = %s, but they are %" PRIu64 " and %" PRIu64,
                      list[i].name, group_by_name(groups->by), list[i].name, left, right);
        status = STATUS_FAILED;
    }
    return status;
}

/* ---- The view of rows, and functions that it shares with other views. */

void view_prepare_all(struct report *report, const struct showing *showing) {
    struct report_limits everything = {.full_names = showing->options.full_names};
    report_prepare(report, &everything);
}

/* Returns whether the report has the owners of blocks, if the options need them. Complains if not. */
static bool has_owners(const char *path, const struct report *report, const struct showing *showing) {
    return showing->is_lenient || !options_need_owners(&showing->options) ||
           laws_need_owners(path, report) == STATUS_DONE;
}

bool view_prepare(const char *path, struct report *report, const struct showing *showing) {
    struct report_limits limits = report_limits_of(&showing->options);
    limits.suppressed = showing->suppressed;
    report_prepare(report, &limits);
    return has_owners(path, report, showing);
}

int view_check_asked(const char *path, const struct report *report) {
    bool no_pairs = report->limits.pairs && !report->has_pairs;
    bool no_sizes = report->limits.sizes && report->site_count && !report_has_sizes(report);
    bool no_lifetimes = report->limits.lifetimes && report->site_count && !report_has_lifetimes(report);
    if (no_pairs)
        complain_file(path, WITHOUT_PAIRS);
    if (no_sizes)
        complain_file(path, "has no sizes: run the program with ALLOCSITE_OPTIONS=sizes=1");
    if (no_lifetimes)
        complain_file(path, "has no lifetimes: run the program with ALLOCSITE_OPTIONS=lifetime=1");
    return no_pairs || no_sizes || no_lifetimes ? STATUS_FAILED : STATUS_DONE;
}

void view_read_layouts(struct showing *showing, const struct report *report) {
    showing->layouts.search = &showing->symbolizer.search;
    type_layouts_read(&showing->layouts, report, &showing->modules);
    showing->groups.layouts = &showing->layouts;
    showing->groups.layout_of = layout_of;
    showing->groups.unknown = showing->layouts.unknown;
    showing->groups.unknown_count = showing->layouts.unknown_count;
}

static int show_sites(const char *path, struct report *report, struct showing *showing) {
    if (!view_prepare(path, report, showing))
        return STATUS_FAILED;
    report_write(standard_out(), report, showing->options.format);
    return standard_out_end() | view_check_asked(path, report);
}

static int show_groups(const char *path, struct report *report, struct showing *showing) {
    struct report_limits limits = report_limits_of(&showing->options);
    struct groups *groups = &showing->groups;
    view_prepare_all(report, showing);
    if (!has_owners(path, report, showing))
        return STATUS_FAILED;
    if (groups->by == BY_FREED && !report->has_pairs)
        return complain_file(path, WITHOUT_PAIRS);
    if (group_by_stacks(groups->by) && laws_need_stacks(path, report->walks.depth))
        return STATUS_FAILED;
    groups->filter = showing->options.filter;
    groups->apart = !format_is_for_programs(showing->options.format);
    groups->depth = showing->options.depth;
    groups->is_by_inclusive = showing->options.inclusive;
    groups->focus = showing->options.focus[0] ? showing->options.focus : NULL;
    if (groups->by == BY_TYPE)
        view_read_layouts(showing, report);
    if (groups->by == BY_FUNCTION && !groups_add_functions(groups, report, &showing->symbolizer))
        return complain_file(path, "focus: no function on a call path matches %s", groups->focus);
    if (!groups->focus)
        (group_by_parts(groups->by) ? groups_add_parts : groups_add_sites)(groups, report);
    groups_prepare(groups, &limits);
    groups_write(standard_out(), groups, report, showing->options.format);
    return standard_out_end() | (groups->focus ? STATUS_DONE : groups_check(path, groups, report));
}

int show_rows(const char *path, struct report *report, struct showing *showing) {
    return (showing->groups.by == BY_SITE ? show_sites : show_groups)(path, report, showing);
}
