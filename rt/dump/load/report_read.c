/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the JSON that the runtime wrote. */
#include "dump/load/report_read.h"

#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/load/json_field.h"
#include "write/run.h"

#include <stdlib.h>
#include <string.h>

static bool begins_as_json(const char *bytes, size_t size) {
    size_t at = 0;
    while (at < size && bytes[at] && strchr(" \t\r\n", bytes[at]))
        at++;
    return at < size && (bytes[at] == '{' || bytes[at] == '[');
}

static bool read_document(struct report_file *file, const char *bytes, size_t size, struct reason *why) {
    json_error_t error;
    if (!begins_as_json(bytes, size))
        return reason_set(why, "is neither a profile nor a report in JSON");
    file->document = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (file->document)
        return true;
    for (char *at = error.text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = '?';
    return reason_set(why, "is not JSON: line %d, column %d: %s", error.line, error.column, error.text);
}

static bool check_format(const struct json_at *top) {
    const char *format = json_field_text(top, "format");
    if (format && strcmp(format, "allocsite-report") != 0)
        return json_field_wrong(top, "format", "is not \"allocsite-report\"");
    return json_field_u64(top, "version") <= REPORT_JSON_VERSION ||
           json_field_wrong(top, "version", "is of a newer allocsite");
}

/* Strings, as many as *count says. */
static const char **read_texts(const struct json_at *top, const char *name, size_t *count) {
    const json_t *array = json_field_array(top, name);
    *count = json_array_size(array);
    const char **texts = memory_zeros(*count, sizeof *texts);
    for (size_t i = 0; i < *count; i++)
        if (!(texts[i] = json_string_value(json_array_get(array, i))))
            json_field_wrong(top, name, "has something that is not a string");
    return texts;
}

static void read_reasons(struct report_file *file, const struct json_at *top) {
    bool exact = json_field_bool(top, "exact");
    file->report.reasons = file->reasons = read_texts(top, "inexact_reasons", &file->report.reason_count);
    if (exact != (file->report.reason_count == 0))
        json_field_wrong(top, "exact", "contradicts inexact_reasons");
}

static void read_reasons_hold(struct report_file *file, const struct json_at *top) {
    size_t count = file->report.reason_count;
    if (!json_field_exists(top, "inexact_processes"))
        return;
    const json_t *array = json_field_array(top, "inexact_processes");
    if (json_array_size(array) != count)
        json_field_wrong(top, "inexact_processes", "does not fit inexact_reasons");
    file->report.several.reasons_hold = file->reasons_hold = memory_zeros(count, sizeof *file->reasons_hold);
    for (size_t i = 0; i < count; i++) {
        const json_t *holds = json_array_get(array, i);
        if (!json_is_integer(holds) || json_integer_value(holds) <= 0)
            json_field_wrong(top, "inexact_processes", "has something that is not a count");
        file->reasons_hold[i] = (uint64_t)json_integer_value(holds);
    }
}

/* Reports of old have none. */
static uint64_t read_count(const struct json_at *top, const char *name) {
    return json_field_exists(top, name) ? json_field_u64(top, name) : 0;
}

/* Reports that were written before there were any of several processes have none of this. */
static void read_processes(struct report_file *file, const struct json_at *top) {
    struct report_processes *several = &file->report.several;
    uint64_t forked = read_count(top, "forked");
    several->count = read_count(top, "processes");
    if (several->count < 2) {
        several->count = 0;
        file->report.forked = forked;
        return;
    }
    several->forked = forked;
    several->unfinished = json_field_u64(top, "unfinished");
    several->killed = read_count(top, "killed");
    several->untouched_blocks = read_count(top, "untouched_blocks");
    several->untouched_bytes = read_count(top, "untouched_bytes");
    read_reasons_hold(file, top);
    if (several->unfinished > several->count || several->killed > several->unfinished ||
        (several->unfinished == 0) != file->report.finished)
        json_field_wrong(top, "unfinished", "contradicts processes or finished");
    if (json_field_exists(top, "programs"))
        several->programs = file->programs = read_texts(top, "programs", &several->program_count);
}

static void read_lost(struct report_site *row, const struct json_at *at) {
    row->lost_blocks = json_field_u64(at, "lost_blocks");
    row->lost_bytes = json_field_u64(at, "lost_bytes");
}

#define NOTE_LACK(name) file->not_told.name = !json_field_exists(at, #name);

/* What the totals lack a site may have all the same: then the sums tell. */
#define READ_COUNTER(name)                                                                                   \
    counters->name = file->not_told.name && !json_field_exists(at, #name) ? 0 : json_field_u64(at, #name);

static void read_totals(struct report_file *file, const struct json_at *top) {
    struct json_at totals = json_field_object(top, "totals"), *at = &totals;
    struct counters *counters = &file->totals.counters;
    file->report.stated = &file->totals;
    file->report.reach = json_field_exists(at, "lost_blocks");
    if (file->report.reach)
        read_lost(&file->totals, at);
    ALLOCSITE_TOTALS(NOTE_LACK)
    ALLOCSITE_TOTALS(READ_COUNTER)
    counters->temporary = read_count(at, "temporary");
}

void report_read_counters(const struct report_file *file, struct counters *counters,
                          const struct json_at *at) {
    ALLOCSITE_SITE_TOTALS(READ_COUNTER)
    counters->temporary = read_count(at, "temporary");
}

static void read_ending(struct report_run *run, const struct json_at *at) {
    const char *name = json_field_text_or_null(at, "ending");
    for (uint32_t i = 1; name && i < PROFILE_ENDINGS; i++)
        if (strcmp(name, run_ending_name(i)) == 0)
            run->ending = i;
    if (name && !run->ending)
        json_field_wrong(at, "ending", "is not known");
}

#define MILLISECOND UINT64_C(1000000)

/* Reports before version 3 have none. */
static void read_run(struct report_run *run, const struct json_at *top) {
    if (!json_field_exists(top, "run"))
        return;
    struct json_at at = json_field_object(top, "run");
    run->begun = json_field_u64(&at, "begun_ms") * MILLISECOND;
    run->ended = json_field_u64(&at, "ended_ms") * MILLISECOND;
    run->resident = json_field_u64(&at, "max_resident_bytes");
    run->status = json_field_u32(&at, "status");
    run->command = json_field_text_or_null(&at, "command");
    read_ending(run, &at);
}

static void read_custom(struct report_file *file, const struct json_at *top) {
    struct counters *counters = &file->report.custom;
    file->report.has_custom = json_field_exists(top, "custom");
    if (!file->report.has_custom)
        return;
    struct json_at custom = json_field_object(top, "custom"), *at = &custom;
    ALLOCSITE_TOTALS(READ_COUNTER)
}

static void read_head(struct report_file *file, const struct json_at *top) {
    struct report *report = &file->report;
    report->program = json_field_text(top, "program");
    report->pid = json_field_u64(top, "pid");
    read_reasons(file, top);
    report->finished = json_field_bool(top, "finished");
    read_processes(file, top);
    read_totals(file, top);
    read_custom(file, top);
    read_run(&report->run, top);
    report->peak_within = json_field_u64(top, "peak_within");
    report->left_out = json_field_u64(top, "sites_left_out");
    if (json_field_exists(top, "lost_unknown"))
        report->lost_unknown = json_field_text(top, "lost_unknown");
}

static struct place read_place(const struct json_at *at) {
    struct place place = {.function = json_field_text_or_null(at, "function")};
    place.file = json_field_text_or_null(at, "file");
    place.line = json_field_u32(at, "line");
    place.column = json_field_u32(at, "column");
    return place;
}

/* Takes the places it needs from *places. */
static void read_view(struct site_view *view, const struct json_at *at, struct place **places) {
    bool is_null;
    view->id = json_field_id(at, "id", &is_null);
    if (is_null)
        json_field_wrong(at, "id", "is null");
    view->module = json_field_text_or_null(at, "module");
    view->sited = json_field_bool(at, "sited");
    view->at = read_place(at);
    view->callee = json_field_text_or_null(at, "callee");
    view->type = json_field_text_or_null(at, "type");
    view->inlined = *places;
    view->inlined_count = json_array_size(json_field_array(at, "inlined"));
    for (size_t i = 0; i < view->inlined_count; i++) {
        struct json_at frame = json_field_element(at, "inlined", i);
        *(*places)++ = read_place(&frame);
    }
    /* Reports that were written before there were any have none of this. */
    view->address = json_field_exists(at, "address") ? json_field_address(at, "address") : 0;
    view->of_wrapper = json_field_exists(at, "wrapper") && json_field_bool(at, "wrapper");
    view->backing = json_field_exists(at, "backing") && json_field_bool(at, "backing");
}

/* [smallest size of a class, count] */
static bool read_class(uint64_t *sizes, const json_t *pair) {
    const json_t *start = json_array_get(pair, 0), *count = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_integer(start) || !json_is_integer(count) ||
        json_integer_value(start) < 0 || json_integer_value(count) < 0)
        return false;
    uint64_t from = (uint64_t)json_integer_value(start);
    unsigned number = size_class(from);
    sizes[number] += (uint64_t)json_integer_value(count);
    return size_class_start(number) == from;
}

static void read_sizes(struct report_site *row, const struct json_at *at, uint64_t *sizes) {
    if (!json_field_exists(at, "sizes"))
        return;
    const json_t *array = json_field_array(at, "sizes");
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!read_class(sizes, json_array_get(array, i)))
            json_field_wrong(at, "sizes", "has something that is not the start of a class and a count");
    row->sizes = sizes;
}

static size_t count_places(const json_t *sites) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(sites); i++)
        count += json_array_size(json_object_get(json_array_get(sites, i), "inlined"));
    return count;
}

static void read_sites(struct report_file *file, const struct json_at *top) {
    const json_t *array = json_field_array(top, "sites");
    size_t count = file->report.site_count = json_array_size(array);
    struct place *places = file->places = memory_zeros(count_places(array), sizeof *places);
    file->rows = memory_zeros(count, sizeof *file->rows);
    file->sizes = memory_zeros(count, sizeof *file->sizes);
    file->by_id = memory_zeros(count, sizeof(struct report_site *));
    file->report.sites = memory_zeros(count, sizeof(struct report_site *));
    for (size_t i = 0; i < count; i++) {
        struct json_at at = json_field_element(top, "sites", i);
        struct report_site *row = file->report.sites[i] = file->by_id[i] = &file->rows[i];
        read_view(&row->view, &at, &places);
        report_read_counters(file, &row->counters, &at);
        read_sizes(row, &at, file->sizes[i]);
        if (file->report.reach)
            read_lost(row, &at);
    }
}

static int compare_ids(const void *a, const void *b) {
    const struct report_site *left = *(struct report_site *const *)a,
                             *right = *(struct report_site *const *)b;
    return compare_u64(left->view.id, right->view.id);
}

static void sort_by_id(struct report_file *file) {
    struct report_site **by_id = file->by_id;
    qsort(by_id, file->report.site_count, sizeof *by_id, compare_ids);
    for (size_t i = 1; i < file->report.site_count; i++)
        if (by_id[i - 1]->view.id == by_id[i]->view.id)
            by_id[i - 1]->shares_id = by_id[i]->shares_id = true;
}

static struct report_site *read_party(struct report_file *file, const struct json_at *at, const char *name) {
    struct report_site key, *key_at = &key;
    bool is_null;
    key.view.id = json_field_id(at, name, &is_null);
    if (is_null)
        return NULL;
    struct report_site **found =
        bsearch(&key_at, file->by_id, file->report.site_count, sizeof *file->by_id, compare_ids);
    if (!found)
        json_field_wrong(at, name, "is no id of a site");
    return found ? *found : NULL;
}

static enum pair_kind read_kind(const struct json_at *at, bool is_fault) {
    const char *name = json_field_text(at, "kind") ?: "";
    for (int kind = 0; kind < PAIR_KINDS; kind++)
        if (strcmp(name, pair_name((enum pair_kind)kind)) == 0 &&
            pair_is_fault((enum pair_kind)kind) == is_fault)
            return (enum pair_kind)kind;
    json_field_wrong(at, "kind", "is not known");
    return 0;
}

static void read_pair_array(struct report_file *file, const struct json_at *top, const char *name,
                            bool is_fault) {
    const json_t *array = json_field_array(top, name);
    for (size_t i = 0; i < json_array_size(array); i++) {
        struct report_pair *pair = &file->report.pairs[file->report.pair_count++];
        struct json_at at = json_field_element(top, name, i);
        pair->kind = read_kind(&at, is_fault);
        pair->owner = read_party(file, &at, "owner");
        pair->by = read_party(file, &at, "by");
        pair->count = json_field_u64(&at, "count");
        pair->bytes = json_field_u64(&at, "bytes");
    }
}

static void read_pairs(struct report_file *file, const struct json_at *top) {
    size_t count = json_array_size(json_object_get(top->object, "pairs")) +
                   json_array_size(json_object_get(top->object, "faults"));
    file->report.has_pairs = json_field_exists(top, "pairs");
    file->report.pairs = memory_zeros(count, sizeof *file->report.pairs);
    if (file->report.has_pairs)
        read_pair_array(file, top, "pairs", false);
    read_pair_array(file, top, "faults", true);
}

static bool read_report(struct report_file *file, struct reason *why) {
    struct json_errors errors = {.why = why};
    struct json_at top = {.object = file->document, .errors = &errors};
    if (!json_is_object(file->document))
        return reason_set(why, "is not a report of allocsite");
    if (!check_format(&top))
        return false;
    read_head(file, &top);
    read_sites(file, &top);
    sort_by_id(file);
    read_pairs(file, &top);
    report_read_stacks(file, &top);
    return !errors.is_wrong;
}

bool report_read(struct report_file *file, const char *bytes, size_t size, struct reason *why) {
    *file = (struct report_file){0};
    if (read_document(file, bytes, size, why) && read_report(file, why))
        return true;
    report_read_free(file);
    return false;
}

void report_read_free(struct report_file *file) {
    report_read_stacks_free(file);
    free(file->report.pairs);
    free(file->report.sites);
    free(file->by_id);
    free(file->places);
    free(file->sizes);
    free(file->rows);
    free(file->programs);
    free(file->reasons_hold);
    free(file->reasons);
    json_decref(file->document);
}
