/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of JSON objects that somebody else wrote. */
#include "dump/load/json_field.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes "sites[3].inlined[0]."; nothing for the document itself. */
static size_t write_path(const struct json_at *at, char *path, size_t size) {
    if (!at->parent)
        return 0;
    size_t used = write_path(at->parent, path, size);
    if (used >= size)
        return used;
    return used + (size_t)(at->index == SIZE_MAX
                               ? snprintf(path + used, size - used, "%s.", at->array)
                               : snprintf(path + used, size - used, "%s[%zu].", at->array, at->index));
}

bool json_field_wrong(const struct json_at *at, const char *name, const char *what) {
    char path[128] = "";
    if (at->errors->is_wrong)
        return false;
    at->errors->is_wrong = true;
    write_path(at, path, sizeof path);
    return reason_set(at->errors->why, "%s%s %s", path, name, what);
}

bool json_field_exists(const struct json_at *at, const char *name) {
    return json_member(at->object, name) != NULL;
}

/* NULL: it is missing, or something was wrong before. */
static struct json_value *member(const struct json_at *at, const char *name) {
    struct json_value *value = at->errors->is_wrong ? NULL : json_member(at->object, name);
    if (!value)
        json_field_wrong(at, name, "is missing");
    return value;
}

/* The same, of the kind. */
static struct json_value *member_of(const struct json_at *at, const char *name, enum json_kind kind,
                                    const char *what) {
    struct json_value *value = member(at, name);
    if (!value || value->kind == kind)
        return value;
    json_field_wrong(at, name, what);
    return NULL;
}

uint64_t json_field_u64(const struct json_at *at, const char *name) {
    const struct json_value *value = member_of(at, name, JSON_COUNT, "is not a count");
    return value ? value->count : 0;
}

uint32_t json_field_u32(const struct json_at *at, const char *name) {
    uint64_t wide = json_field_u64(at, name);
    return wide == (uint32_t)wide ? (uint32_t)wide : json_field_wrong(at, name, "is too large");
}

bool json_field_bool(const struct json_at *at, const char *name) {
    const struct json_value *value = member(at, name);
    if (!value || value->kind == JSON_TRUE || value->kind == JSON_FALSE)
        return value && value->kind == JSON_TRUE;
    return json_field_wrong(at, name, "is neither true nor false");
}

const char *json_field_text(const struct json_at *at, const char *name) {
    const struct json_value *value = member_of(at, name, JSON_TEXT, "is not a string");
    return value ? value->text : NULL;
}

const char *json_field_text_or_null(const struct json_at *at, const char *name) {
    const struct json_value *value = json_member(at->object, name);
    return value && value->kind == JSON_NULL ? NULL : json_field_text(at, name);
}

struct json_value *json_field_array(const struct json_at *at, const char *name) {
    return member_of(at, name, JSON_ARRAY, "is not an array");
}

/* Only as it is written, in lower case: one id has one form. */
uint64_t json_field_id(const struct json_at *at, const char *name, bool *is_null) {
    const char *text = json_field_text_or_null(at, name);
    *is_null = !text;
    if (!text || (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16))
        return text ? strtoull(text, NULL, 16) : 0;
    return json_field_wrong(at, name, "is not 16 hexadecimal digits");
}

uint64_t json_field_address(const struct json_at *at, const char *name) {
    const char *text = json_field_text(at, name) ?: "";
    size_t digits = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, "0123456789abcdef") : 0;
    if (digits && digits <= 16 && !text[2 + digits])
        return strtoull(text, NULL, 16);
    return json_field_wrong(at, name, "is no address");
}

struct json_at json_field_element(const struct json_at *parent, const char *array, size_t index,
                                  struct json_value *element) {
    if (element->kind != JSON_OBJECT) {
        char name[64];
        snprintf(name, sizeof name, "%s[%zu]", array, index);
        json_field_wrong(parent, name, "is not an object");
    }
    return (struct json_at){element, parent->errors, parent, array, index};
}

struct json_at json_field_object(const struct json_at *parent, const char *name) {
    struct json_value *object = member_of(parent, name, JSON_OBJECT, "is not an object");
    return (struct json_at){object, parent->errors, parent, name, SIZE_MAX};
}

/* ---- The modules and the calling frames of a report in JSON. */

/* Reports of old do not list them. */
static void list_modules(struct report_file *file) {
    struct report *report = &file->report;
    file->modules = memory_zeros(report->site_count, sizeof *file->modules);
    for (size_t i = 0; i < report->site_count; i++)
        file->modules[i].path = file->rows[i].view.module;
    modules_sort(file->modules, report->site_count);
    report->modules = file->modules;
    for (size_t i = 0; i < report->site_count; i++) {
        const struct report_module *last =
            report->modules_size ? &file->modules[report->modules_size - 1] : NULL;
        const char *path = file->modules[i].path;
        if (module_is_file(path) && (!last || strcmp(last->path, path) != 0))
            file->modules[report->modules_size++].path = path;
    }
}

void report_read_modules(struct report_file *file, const struct json_at *top) {
    if (!json_field_exists(top, "modules")) {
        list_modules(file);
        return;
    }
    struct json_value *array = json_field_array(top, "modules");
    size_t count = 0;
    file->modules = memory_zeros(json_size(array), sizeof *file->modules);
    size_t number = 0;
    for (struct json_value *element = json_first(array); element; element = element->next, number++) {
        struct json_at at = json_field_element(top, "modules", number, element);
        const char *path = json_field_text_or_null(&at, "path"),
                   *build_id = json_field_text_or_null(&at, "build_id");
        if (path)
            file->modules[count++] = (struct report_module){.path = path, .build_id = build_id};
    }
    modules_sort(file->modules, count);
    file->report.modules = file->modules;
    file->report.modules_size = count;
}

static const struct report_module *module_named(const struct report_file *file, const char *path) {
    return path ? modules_find(file->modules, file->report.modules_size, path) : NULL;
}

void report_read_walks(struct report_file *file, const struct json_at *top) {
    if (!json_field_exists(top, "walks"))
        return;
    struct json_at at = json_field_object(top, "walks");
    struct profile_walks *walks = &file->report.walks;
    walks->depth = json_field_u64(&at, "depth");
    walks->by_frame_pointer = json_field_u64(&at, "by_frame_pointer");
    walks->by_table = json_field_u64(&at, "by_table");
    walks->ended_early = json_field_u64(&at, "ended_early");
    walks->without_stack = json_field_u64(&at, "without_stack");
    walks->without_caller = json_field_u64(&at, "without_caller");
    if (json_field_exists(&at, "without_contexts"))
        file->report.walked_for = file->walked_for =
            report_read_texts(&at, "without_contexts", &file->report.walked_for_count);
}

static void read_frame(struct report_file *file, struct report_frame *frame, const struct json_at *at) {
    const char *module = json_field_text_or_null(at, "module");
    *frame = (struct report_frame){.address = json_field_address(at, "address")};
    frame->function = report_read_text(file, at, "function");
    if (json_field_exists(at, "file")) {
        frame->file = report_read_text(file, at, "file");
        frame->line = json_field_u32(at, "line");
    }
    frame->module = module_named(file, module);
    if (module && !frame->module)
        json_field_wrong(at, "module", "is not among the modules");
}

static int compare_id(const void *id, const void *site) {
    return compare_u64(*(const uint64_t *)id, (*(struct report_site *const *)site)->view.id);
}

/* Backing has the id of the site that it is a part of. */
static struct report_site *find_site(const struct report_file *file, uint64_t id, bool is_backing) {
    size_t count = file->report.site_count;
    size_t first = sorted_before(file->by_id, count, sizeof *file->by_id, &id, compare_id);
    for (; first < count && file->by_id[first]->view.id == id; first++)
        if (file->by_id[first]->view.backing == is_backing)
            return file->by_id[first];
    return NULL;
}

struct report_site *report_read_site(const struct report_file *file, const struct json_at *at) {
    bool is_null;
    uint64_t id = json_field_id(at, "site", &is_null);
    bool is_backing = json_field_exists(at, "backing") && json_field_bool(at, "backing");
    struct report_site *site = is_null ? NULL : find_site(file, id, is_backing);
    if (!site)
        json_field_wrong(at, "site", "is no id of a site");
    return site;
}

void report_read_stack(struct report_file *file, const struct json_at *at) {
    struct report *report = &file->report;
    memory_grow(&report->stacks, report->stack_count, &file->stack_room, sizeof *report->stacks);
    struct report_stack *stack = &report->stacks[report->stack_count++];
    *stack = (struct report_stack){.site = report_read_site(file, at)};
    report_read_counters(file, &stack->counters, at);
    struct json_value *element = json_first(json_field_array(at, "frames"));
    for (; element; element = element->next) {
        struct json_at frame = json_field_element(at, "frames", stack->frame_count++, element);
        memory_grow(&file->frames, file->frame_count, &file->frame_room, sizeof *file->frames);
        read_frame(file, &file->frames[file->frame_count++], &frame);
    }
}

void report_read_stacks_end(struct report_file *file) {
    struct report_frame *frames = file->frames;
    for (size_t i = 0; i < file->report.stack_count; i++) {
        file->report.stacks[i].frames = frames;
        frames += file->report.stacks[i].frame_count;
    }
    for (size_t i = 0; i < file->report.site_count; i++) {
        struct site_view *view = &file->rows[i].view;
        const struct report_module *module = module_named(file, view->module);
        view->build_id = module ? module->build_id : NULL;
    }
}

void report_read_stacks_free(struct report_file *file) {
    free(file->report.stacks);
    free(file->frames);
    free(file->modules);
}
