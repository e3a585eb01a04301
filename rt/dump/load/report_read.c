/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the JSON that the runtime wrote. */
#include "dump/load/report_read.h"

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

static bool check_format(const struct json_at *top, struct reason *why) {
    const char *format;
    uint64_t version;
    if (!json_is_object(top->object))
        return reason_set(why, "is not a report of allocsite");
    if (!json_field_text(top, "format", &format, why))
        return false;
    if (strcmp(format, "allocsite-report") != 0)
        return json_field_wrong(top, "format", "is not \"allocsite-report\"", why);
    if (!json_field_u64(top, "version", &version, why))
        return false;
    return version <= REPORT_JSON_VERSION || json_field_wrong(top, "version", "is of a newer allocsite", why);
}

/* Strings, as many as *count says. */
static bool read_texts(const struct json_at *top, const char *name, const char ***texts, size_t *count,
                       struct reason *why) {
    const json_t *array;
    if (!json_field_array(top, name, &array, why))
        return false;
    *count = json_array_size(array);
    *texts = calloc(*count + 1, sizeof **texts);
    for (size_t i = 0; *texts && i < *count; i++)
        if (!((*texts)[i] = json_string_value(json_array_get(array, i))))
            return json_field_wrong(top, name, "has something that is not a string", why);
    return *texts || reason_set(why, "out of memory");
}

static bool read_reasons(struct report_file *file, const struct json_at *top, struct reason *why) {
    bool exact;
    if (!json_field_bool(top, "exact", &exact, why) ||
        !read_texts(top, "inexact_reasons", &file->reasons, &file->report.reason_count, why))
        return false;
    file->report.reasons = file->reasons;
    return exact == (file->report.reason_count == 0) ||
           json_field_wrong(top, "exact", "contradicts inexact_reasons", why);
}

static bool read_reasons_hold(struct report_file *file, const struct json_at *top, struct reason *why) {
    const json_t *array;
    size_t count = file->report.reason_count;
    if (!json_field_exists(top, "inexact_processes"))
        return true;
    if (!json_field_array(top, "inexact_processes", &array, why))
        return false;
    if (json_array_size(array) != count)
        return json_field_wrong(top, "inexact_processes", "does not fit inexact_reasons", why);
    file->reasons_hold = calloc(count + 1, sizeof *file->reasons_hold);
    for (size_t i = 0; file->reasons_hold && i < count; i++) {
        const json_t *holds = json_array_get(array, i);
        if (!json_is_integer(holds) || json_integer_value(holds) <= 0)
            return json_field_wrong(top, "inexact_processes", "has something that is not a count", why);
        file->reasons_hold[i] = (uint64_t)json_integer_value(holds);
    }
    file->report.several.reasons_hold = file->reasons_hold;
    return file->reasons_hold || reason_set(why, "out of memory");
}

/* Reports of old have none. */
static bool read_count(const struct json_at *top, const char *name, uint64_t *count, struct reason *why) {
    return !json_field_exists(top, name) || json_field_u64(top, name, count, why);
}

/* Reports that were written before there were any of several processes have none of this. */
static bool read_processes(struct report_file *file, const struct json_at *top, struct reason *why) {
    struct report_processes *several = &file->report.several;
    uint64_t forked = 0;
    if (!read_count(top, "processes", &several->count, why) || !read_count(top, "forked", &forked, why))
        return false;
    if (several->count < 2) {
        several->count = 0;
        file->report.forked = forked;
        return true;
    }
    several->forked = forked;
    if (!json_field_u64(top, "unfinished", &several->unfinished, why) || !read_reasons_hold(file, top, why) ||
        !read_count(top, "untouched_blocks", &several->untouched_blocks, why) ||
        !read_count(top, "untouched_bytes", &several->untouched_bytes, why))
        return false;
    if (several->unfinished > several->count || (several->unfinished == 0) != file->report.finished)
        return json_field_wrong(top, "unfinished", "contradicts processes or finished", why);
    if (!json_field_exists(top, "programs"))
        return true;
    bool is_read = read_texts(top, "programs", &file->programs, &several->program_count, why);
    several->programs = file->programs;
    return is_read;
}

static bool read_lost(struct report_site *row, const struct json_at *at, struct reason *why) {
    return json_field_u64(at, "lost_blocks", &row->lost_blocks, why) &&
           json_field_u64(at, "lost_bytes", &row->lost_bytes, why);
}

#define READ_COUNTER(name) &&json_field_u64(at, #name, &row->counters.name, why)

static bool read_totals(struct report_file *file, const struct json_at *top, struct reason *why) {
    struct report_site *row = &file->totals;
    struct json_at totals = {.object = json_object_get(top->object, "totals")}, *at = &totals;
    if (!json_is_object(totals.object))
        return json_field_wrong(top, "totals", "is not an object", why);
    file->report.stated = row;
    file->report.reach = json_field_exists(at, "lost_blocks");
    return (!file->report.reach || read_lost(row, at, why)) ALLOCSITE_TOTALS(READ_COUNTER);
}

static bool read_custom(struct report_file *file, const struct json_at *top, struct reason *why) {
    struct report_site sum = {.lost_blocks = 0}, *row = &sum;
    struct json_at custom = {.object = json_object_get(top->object, "custom")}, *at = &custom;
    file->report.has_custom = custom.object != NULL;
    if (!custom.object)
        return true;
    if (!json_is_object(custom.object))
        return json_field_wrong(top, "custom", "is not an object", why);
    bool is_read = true ALLOCSITE_TOTALS(READ_COUNTER);
    file->report.custom = row->counters;
    return is_read;
}

static bool read_ending(struct report_run *run, const struct json_at *at, struct reason *why) {
    const char *name;
    if (!json_field_text_or_null(at, "ending", &name, why))
        return false;
    for (uint32_t i = 1; name && i < PROFILE_ENDINGS; i++)
        if (strcmp(name, run_ending_name(i)) == 0)
            run->ending = i;
    return !name || run->ending || json_field_wrong(at, "ending", "is not known", why);
}

#define MILLISECOND UINT64_C(1000000)

/* Reports before version 3 have none. */
static bool read_run(struct report_run *run, const struct json_at *top, struct reason *why) {
    struct json_at at = {.object = json_object_get(top->object, "run")};
    if (!at.object)
        return true;
    if (!json_is_object(at.object))
        return json_field_wrong(top, "run", "is not an object", why);
    bool is_read = json_field_u64(&at, "begun_ms", &run->begun, why) &&
                   json_field_u64(&at, "ended_ms", &run->ended, why) &&
                   json_field_u64(&at, "max_resident_bytes", &run->resident, why) &&
                   json_field_u32(&at, "status", &run->status, why) &&
                   json_field_text_or_null(&at, "command", &run->command, why) && read_ending(run, &at, why);
    run->begun *= MILLISECOND;
    run->ended *= MILLISECOND;
    return is_read;
}

static bool read_head(struct report_file *file, const struct json_at *top, struct reason *why) {
    struct report *report = &file->report;
    uint64_t left_out;
    if (!json_field_text(top, "program", &report->program, why) ||
        !json_field_u64(top, "pid", &report->pid, why) || !read_reasons(file, top, why) ||
        !json_field_bool(top, "finished", &report->finished, why) || !read_processes(file, top, why) ||
        !read_totals(file, top, why) || !read_custom(file, top, why) || !read_run(&report->run, top, why) ||
        !json_field_u64(top, "peak_within", &report->peak_within, why) ||
        !json_field_u64(top, "sites_left_out", &left_out, why))
        return false;
    report->left_out = left_out;
    return !json_field_exists(top, "lost_unknown") ||
           json_field_text(top, "lost_unknown", &report->lost_unknown, why);
}

static bool read_place(struct place *place, const struct json_at *at, struct reason *why) {
    return json_field_text_or_null(at, "function", &place->function, why) &&
           json_field_text_or_null(at, "file", &place->file, why) &&
           json_field_u32(at, "line", &place->line, why) && json_field_u32(at, "column", &place->column, why);
}

/* Takes the places it needs from *places. */
static bool read_inlined(struct site_view *view, const struct json_at *at, struct place **places,
                         struct reason *why) {
    const json_t *array;
    if (!json_field_array(at, "inlined", &array, why))
        return false;
    view->inlined = *places;
    for (; view->inlined_count < json_array_size(array); view->inlined_count++) {
        struct json_at frame;
        if (!json_field_object(&frame, at, "inlined", view->inlined_count, why) ||
            !read_place((*places)++, &frame, why))
            return false;
    }
    return true;
}

/* Reports that were written before there were any have none of this. */
static bool read_part(struct site_view *view, const struct json_at *at, struct reason *why) {
    return (!json_field_exists(at, "address") || json_field_address(at, "address", &view->address, why)) &&
           (!json_field_exists(at, "wrapper") || json_field_bool(at, "wrapper", &view->of_wrapper, why)) &&
           (!json_field_exists(at, "backing") || json_field_bool(at, "backing", &view->backing, why));
}

static bool read_view(struct site_view *view, const struct json_at *at, struct place **places,
                      struct reason *why) {
    bool is_null;
    if (!json_field_id(at, "id", &view->id, &is_null, why))
        return false;
    return (!is_null || json_field_wrong(at, "id", "is null", why)) &&
           json_field_text_or_null(at, "module", &view->module, why) &&
           json_field_bool(at, "sited", &view->sited, why) && read_place(&view->at, at, why) &&
           json_field_text_or_null(at, "callee", &view->callee, why) &&
           json_field_text_or_null(at, "type", &view->type, why) && read_inlined(view, at, places, why) &&
           read_part(view, at, why);
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

static bool read_sizes(struct report_site *row, const struct json_at *at, uint64_t *sizes,
                       struct reason *why) {
    const json_t *array;
    if (!json_field_exists(at, "sizes"))
        return true;
    if (!json_field_array(at, "sizes", &array, why))
        return false;
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!read_class(sizes, json_array_get(array, i)))
            return json_field_wrong(at, "sizes", "has something that is not the start of a class and a count",
                                    why);
    row->sizes = sizes;
    return true;
}

static bool read_site(struct report_file *file, size_t index, const struct json_at *top,
                      struct place **places, struct reason *why) {
    struct report_site *row = &file->rows[index];
    struct json_at site, *at = &site;
    return json_field_object(at, top, "sites", index, why) &&
           read_view(&row->view, at, places, why) ALLOCSITE_SITE_TOTALS(READ_COUNTER) &&
           read_sizes(row, at, file->sizes[index], why) && (!file->report.reach || read_lost(row, at, why));
}

static size_t count_places(const json_t *sites) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(sites); i++)
        count += json_array_size(json_object_get(json_array_get(sites, i), "inlined"));
    return count;
}

/* One more of each than there are, for none may be NULL. */
static bool allocate_sites(struct report_file *file, size_t count, size_t places) {
    file->rows = calloc(count + 1, sizeof *file->rows);
    file->sizes = calloc(count + 1, sizeof *file->sizes);
    file->places = calloc(places + 1, sizeof *file->places);
    file->by_id = calloc(count + 1, sizeof(struct report_site *));
    file->report.sites = calloc(count + 1, sizeof(struct report_site *));
    return file->rows && file->sizes && file->places && file->by_id && file->report.sites;
}

static bool read_sites(struct report_file *file, const struct json_at *top, struct reason *why) {
    const json_t *array;
    if (!json_field_array(top, "sites", &array, why))
        return false;
    size_t count = json_array_size(array);
    if (!allocate_sites(file, count, count_places(array)))
        return reason_set(why, "out of memory");
    struct place *places = file->places;
    for (size_t i = 0; i < count; i++) {
        if (!read_site(file, i, top, &places, why))
            return false;
        file->report.sites[i] = file->by_id[i] = &file->rows[i];
    }
    file->report.site_count = count;
    return true;
}

static int compare_ids(const void *a, const void *b) {
    uint64_t left = (*(struct report_site *const *)a)->view.id;
    uint64_t right = (*(struct report_site *const *)b)->view.id;
    return (left > right) - (left < right);
}

static void sort_by_id(struct report_file *file) {
    struct report_site **by_id = file->by_id;
    qsort(by_id, file->report.site_count, sizeof *by_id, compare_ids);
    for (size_t i = 1; i < file->report.site_count; i++)
        if (by_id[i - 1]->view.id == by_id[i]->view.id)
            by_id[i - 1]->shares_id = by_id[i]->shares_id = true;
}

static bool read_party(struct report_file *file, const struct json_at *at, const char *name,
                       struct report_site **site, struct reason *why) {
    struct report_site key, *key_at = &key;
    bool is_null;
    *site = NULL;
    if (!json_field_id(at, name, &key.view.id, &is_null, why))
        return false;
    if (is_null)
        return true;
    struct report_site **found =
        bsearch(&key_at, file->by_id, file->report.site_count, sizeof *file->by_id, compare_ids);
    *site = found ? *found : NULL;
    return found || json_field_wrong(at, name, "is no id of a site", why);
}

static bool read_kind(const struct json_at *at, bool is_fault, enum pair_kind *kind, struct reason *why) {
    const char *name;
    if (!json_field_text(at, "kind", &name, why))
        return false;
    for (int i = 0; i < PAIR_KINDS; i++)
        if (strcmp(name, pair_name((enum pair_kind)i)) == 0 && pair_is_fault((enum pair_kind)i) == is_fault) {
            *kind = (enum pair_kind)i;
            return true;
        }
    return json_field_wrong(at, "kind", "is not known", why);
}

static bool read_pair(struct report_file *file, const struct json_at *at, bool is_fault, struct reason *why) {
    struct report_pair *pair = &file->report.pairs[file->report.pair_count++];
    return read_kind(at, is_fault, &pair->kind, why) && read_party(file, at, "owner", &pair->owner, why) &&
           read_party(file, at, "by", &pair->by, why) && json_field_u64(at, "count", &pair->count, why) &&
           json_field_u64(at, "bytes", &pair->bytes, why);
}

static bool read_pair_array(struct report_file *file, const struct json_at *top, const char *name,
                            bool is_fault, struct reason *why) {
    const json_t *array;
    if (!json_field_array(top, name, &array, why))
        return false;
    for (size_t i = 0; i < json_array_size(array); i++) {
        struct json_at at;
        if (!json_field_object(&at, top, name, i, why) || !read_pair(file, &at, is_fault, why))
            return false;
    }
    return true;
}

static bool read_pairs(struct report_file *file, const struct json_at *top, struct reason *why) {
    size_t count = json_array_size(json_object_get(top->object, "pairs")) +
                   json_array_size(json_object_get(top->object, "faults"));
    file->report.has_pairs = json_field_exists(top, "pairs");
    file->report.pairs = calloc(count + 1, sizeof *file->report.pairs);
    if (!file->report.pairs)
        return reason_set(why, "out of memory");
    return (!file->report.has_pairs || read_pair_array(file, top, "pairs", false, why)) &&
           read_pair_array(file, top, "faults", true, why);
}

bool report_read(struct report_file *file, const char *bytes, size_t size, struct reason *why) {
    *file = (struct report_file){0};
    if (!read_document(file, bytes, size, why))
        return false;
    struct json_at top = {.object = file->document};
    if (check_format(&top, why) && read_head(file, &top, why) && read_sites(file, &top, why)) {
        sort_by_id(file);
        if (read_pairs(file, &top, why) && report_read_stacks(file, &top, why))
            return true;
    }
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
