/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the JSON that the runtime wrote: what it lists. */
#include "dump/load/source.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/load/json_field.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is taken as it comes: sites, pairs, stacks, phases. */

const char *report_read_text(struct report_file *file, const struct json_at *at, const char *name) {
    return string_keep(&file->strings, json_field_text_or_null(at, name));
}

static struct place read_place(struct report_file *file, const struct json_at *at) {
    struct place place = {.function = report_read_text(file, at, "function")};
    place.file = report_read_text(file, at, "file");
    place.line = json_field_u32(at, "line");
    place.column = json_field_u32(at, "column");
    return place;
}

static void read_inlined(struct report_file *file, struct site_view *view, const struct json_at *at) {
    struct json_value *element = json_first(json_field_array(at, "inlined"));
    for (; element; element = element->next) {
        struct json_at frame = json_field_element(at, "inlined", view->inlined_count++, element);
        memory_grow(&file->places, file->place_count, &file->place_room, sizeof *file->places);
        file->places[file->place_count++] = read_place(file, &frame);
    }
}

static void read_view(struct report_file *file, struct site_view *view, const struct json_at *at) {
    bool is_null;
    view->id = json_field_id(at, "id", &is_null);
    if (is_null)
        json_field_wrong(at, "id", "is null");
    view->module = report_read_text(file, at, "module");
    view->sited = json_field_bool(at, "sited");
    view->at = read_place(file, at);
    view->callee = report_read_text(file, at, "callee");
    view->type = report_read_text(file, at, "type");
    read_inlined(file, view, at);
    /* Reports that were written before there were any have none of this. */
    view->address = json_field_exists(at, "address") ? json_field_address(at, "address") : 0;
    view->of_wrapper = json_field_exists(at, "wrapper") && json_field_bool(at, "wrapper");
    view->backing = json_field_exists(at, "backing") && json_field_bool(at, "backing");
}

/* [smallest size of a class, count] */
static bool read_class(uint64_t *counts, const struct json_value *pair) {
    const struct json_value *start = pair->kind == JSON_ARRAY ? pair->first : NULL,
                            *count = start ? start->next : NULL;
    if (!count || pair->size != 2 || start->kind != JSON_COUNT || count->kind != JSON_COUNT)
        return false;
    unsigned number = size_class(start->count);
    counts[number] += count->count;
    return size_class_start(number) == start->count;
}

static void read_classes(uint64_t *counts, const struct json_at *at, const char *key) {
    struct json_value *pair = json_first(json_field_array(at, key));
    for (; pair; pair = pair->next)
        if (!read_class(counts, pair))
            json_field_wrong(at, key, "has something that is not the start of a class and a count");
}

static void read_sizes(struct report_site *row, const struct json_at *at) {
    if (!json_field_exists(at, "sizes"))
        return;
    row->sizes = memory_zeros(SIZE_CLASSES, sizeof *row->sizes);
    read_classes(row->sizes, at, "sizes");
}

static void read_lifetimes(struct report_site *row, const struct json_at *at) {
    if (!json_field_exists(at, "lifetimes"))
        return;
    struct json_at within = json_field_object(at, "lifetimes");
    row->lifetimes = memory_zeros(1, sizeof *row->lifetimes);
    row->lifetimes->of.allocations = json_field_u64(&within, "allocations");
    row->lifetimes->of.nanoseconds = json_field_u64(&within, "nanoseconds");
    read_classes(row->lifetimes->of.by_allocations, &within, "by_allocations");
    read_classes(row->lifetimes->of.by_time, &within, "by_time");
}

static void read_row(struct report_file *file, const struct json_at *at) {
    memory_grow(&file->rows, file->report.site_count, &file->row_room, sizeof *file->rows);
    struct report_site *row = &file->rows[file->report.site_count++];
    progress("sites read", file->report.site_count, 0);
    *row = (struct report_site){.lost_bytes = 0};
    read_view(file, &row->view, at);
    report_read_counters(file, &row->counters, at);
    read_sizes(row, at);
    read_lifetimes(row, at);
    if (file->report.reach)
        report_read_lost(row, at);
}

static int compare_ids(const void *a, const void *b) {
    const struct report_site *left = *(struct report_site *const *)a,
                             *right = *(struct report_site *const *)b;
    return compare_u64(left->view.id, right->view.id);
}

/* The rows stay where they are from here on. */
static void sort_by_id(struct report_file *file) {
    size_t count = file->report.site_count;
    struct report_site **by_id = file->by_id = memory_zeros(count, sizeof *by_id);
    struct place *places = file->places;
    file->report.sites = memory_zeros(count, sizeof *by_id);
    for (size_t i = 0; i < count; i++) {
        file->report.sites[i] = by_id[i] = &file->rows[i];
        by_id[i]->view.inlined = places;
        if (places) /* clang's sanitizer takes a sum of NULL and 0 for wrong */
            places += by_id[i]->view.inlined_count;
    }
    qsort(by_id, count, sizeof *by_id, compare_ids);
    for (size_t i = 1; i < count; i++)
        if (by_id[i - 1]->view.id == by_id[i]->view.id)
            by_id[i - 1]->shares_id = by_id[i]->shares_id = true;
    file->is_sorted = true;
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

static void read_pair(struct report_file *file, const struct json_at *at, bool is_fault) {
    struct report *report = &file->report;
    memory_grow(&report->pairs, report->pair_count, &file->pair_room, sizeof *report->pairs);
    struct report_pair *pair = &report->pairs[report->pair_count++];
    pair->kind = read_kind(at, is_fault);
    pair->owner = read_party(file, at, "owner");
    pair->by = read_party(file, at, "by");
    pair->count = json_field_u64(at, "count");
    pair->bytes = json_field_u64(at, "bytes");
}

static void read_phase(struct report_file *file, const struct json_at *at) {
    struct report_phase phase = {.phase = report_read_text(file, at, "phase")};
    const struct report_site *site = report_read_site(file, at);
    bool has_stack = json_field_exists(at, "stack");
    uint64_t stack = has_stack ? json_field_u64(at, "stack") : SIZE_MAX;
    phase.calls = json_field_u64(at, "calls");
    phase.bytes = json_field_u64(at, "bytes");
    if (!phase.phase)
        json_field_wrong(at, "phase", "is null");
    if (site && phase.phase)
        profile_phases_put(&file->phases, &phase, (size_t)(site - file->rows), stack);
}

/* ---- The order of it. Sites need what the totals have, pairs and what follows all sites, stacks the
 * modules. The runtime writes them so, and they are taken as they come; of a document in another order they
 * are kept to its end. */

enum { SITES, PAIRS, FAULTS, STACKS, PHASES, ARRAYS };
static const char *const arrays[ARRAYS] = {"sites", "pairs", "faults", "stacks", "phases"};

static bool begin(struct report_file *file, const struct json_at *top) {
    file->is_begun = true;
    if (!report_read_format(top))
        return false;
    report_read_totals(file, top);
    return true;
}

/* What an array needs is there. */
static bool is_ready(struct report_file *file, const struct json_at *top, int array) {
    bool has_head = json_field_exists(top, "format") && json_field_exists(top, "version") &&
                    json_field_exists(top, "totals");
    if (array == SITES)
        return has_head;
    return file->is_begun && json_field_exists(top, "sites") &&
           (array != STACKS || json_field_exists(top, "modules"));
}

static void prepare(struct report_file *file, const struct json_at *top, int array) {
    if (!file->is_begun)
        begin(file, top);
    if (array != SITES && !file->is_sorted)
        sort_by_id(file);
    if (array == STACKS && !file->has_modules) {
        report_read_modules(file, top);
        file->has_modules = true;
    }
}

static void read_element(struct report_file *file, const struct json_at *top, int array, size_t index,
                         struct json_value *element) {
    struct json_at at = json_field_element(top, arrays[array], index, element);
    if (at.errors->is_wrong)
        return;
    if (array == SITES)
        read_row(file, &at);
    else if (array == STACKS)
        report_read_stack(file, &at);
    else if (array == PHASES)
        read_phase(file, &at);
    else
        read_pair(file, &at, array == FAULTS);
}

struct reading {
    struct report_file *file;
    struct json_errors errors;
};

static enum json_taking take(void *context, struct json_value *document, const char *name, size_t index,
                             struct json_value *element) {
    struct reading *reading = context;
    struct json_at top = {.object = document, .errors = &reading->errors};
    int array = 0;
    while (array < ARRAYS && strcmp(arrays[array], name) != 0)
        array++;
    if (array == ARRAYS || !is_ready(reading->file, &top, array))
        return JSON_KEEP;
    prepare(reading->file, &top, array);
    read_element(reading->file, &top, array, index, element);
    return reading->errors.is_wrong ? JSON_STOP : JSON_TAKEN;
}

/* The elements that were kept. */
static void read_array(struct report_file *file, const struct json_at *top, int array) {
    size_t index = 0;
    prepare(file, top, array);
    if (array == SITES || array == FAULTS)
        json_field_array(top, arrays[array]);
    struct json_value *value = json_member(top->object, arrays[array]);
    if (value && value->kind != JSON_ARRAY)
        json_field_wrong(top, arrays[array], "is not an array");
    for (struct json_value *element = top->errors->is_wrong ? NULL : json_first(value); element;
         element = element->next)
        read_element(file, top, array, index++, element);
}

/* Now that all stacks are there, which could stand behind them. */
static void settle_phases(struct report_file *file, const struct json_at *top) {
    struct report *report = &file->report;
    for (size_t i = 0; i < file->phases.count; i++) {
        const struct profile_phase_place *place = &file->phases.places[i];
        bool is_of_stack = place->stack < report->stack_count;
        if (place->stack != SIZE_MAX &&
            (!is_of_stack || report->stacks[place->stack].site != &file->rows[place->row])) {
            json_field_wrong(top, "phases", "has a stack that its site has not");
            return;
        }
    }
    profile_phases_settle(&file->phases, file->rows, report->stacks);
    report->phases = file->phases.list;
    report->phase_count = file->phases.count;
}

static bool read_rest(struct reading *reading) {
    struct report_file *file = reading->file;
    struct json_at top = {.object = json_document_value(file->document), .errors = &reading->errors};
    if (!top.object || top.object->kind != JSON_OBJECT)
        return reason_set(reading->errors.why, "is not a report of allocsite");
    if (!file->is_begun)
        begin(file, &top);
    if (reading->errors.is_wrong)
        return false;
    report_read_head(file, &top);
    file->report.has_pairs = json_field_exists(&top, "pairs");
    for (int array = 0; array < ARRAYS; array++)
        read_array(file, &top, array);
    report_read_walks(file, &top);
    report_read_stacks_end(file);
    settle_phases(file, &top);
    report_read_threads(file, &top);
    return !reading->errors.is_wrong;
}

static bool begins_as_json(const char *bytes, size_t size) {
    size_t at = 0;
    while (at < size && bytes[at] && strchr(" \t\r\n", bytes[at]))
        at++;
    return at < size && (bytes[at] == '{' || bytes[at] == '[');
}

static bool read_pieces(struct reading *reading, report_read_some *read, void *context) {
    struct json_document *document = reading->file->document;
    struct reason *why = reading->errors.why;
    char bytes[64 << 10];
    ptrdiff_t size = read(context, bytes, sizeof bytes, why);
    if (size >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
        return reason_set(why,
                          "is a program or library, which has no counts; its site table is shown by sites");
    if (size >= 0 && !begins_as_json(bytes, (size_t)size))
        return reason_set(why, "is neither a profile nor a report in JSON");
    for (; size > 0; size = read(context, bytes, sizeof bytes, why))
        if (!json_document_feed(document, bytes, (size_t)size, why))
            return false;
    return size == 0 && json_document_end(document, why) && read_rest(reading);
}

bool report_read_pieces(struct report_file *file, report_read_some *read, void *context, struct reason *why) {
    struct reading reading = {.file = file, .errors = {.why = why}};
    *file = (struct report_file){0};
    file->document = json_document_new(take, &reading);
    if (read_pieces(&reading, read, context))
        return true;
    report_read_free(file);
    return false;
}

struct bytes {
    const char *next;
    size_t left;
};

static ptrdiff_t read_bytes(void *context, char *to, size_t size, struct reason *why) {
    struct bytes *bytes = context;
    size_t count = bytes->left < size ? bytes->left : size;
    (void)why;
    memcpy(to, bytes->next, count);
    bytes->next += count;
    bytes->left -= count;
    return (ptrdiff_t)count;
}

bool report_read(struct report_file *file, const char *bytes, size_t size, struct reason *why) {
    return report_read_pieces(file, read_bytes, &(struct bytes){bytes, size}, why);
}

void report_read_free(struct report_file *file) {
    report_read_stacks_free(file);
    profile_phases_free(&file->phases);
    free(file->parts);
    free(file->report.pairs);
    free(file->report.sites);
    free(file->by_id);
    free(file->places);
    for (size_t i = 0; i < file->report.site_count; i++) {
        free(file->rows[i].sizes);
        free(file->rows[i].lifetimes);
    }
    free(file->rows);
    free(file->programs);
    free(file->walked_for);
    free(file->reasons_hold);
    free(file->reasons);
    string_pool_free(&file->strings);
    json_document_free(file->document);
}
