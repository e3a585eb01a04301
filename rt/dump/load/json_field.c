/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of JSON objects that somebody else wrote. */
#include "dump/load/json_field.h"

#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/base/modules.h"

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
    return used + (size_t)snprintf(path + used, size - used, "%s[%zu].", at->array, at->index);
}

bool json_field_wrong(const struct json_at *at, const char *name, const char *what, struct reason *why) {
    char path[128] = "";
    write_path(at, path, sizeof path);
    return reason_set(why, "%s%s %s", path, name, what);
}

bool json_field_exists(const struct json_at *at, const char *name) {
    return json_object_get(at->object, name) != NULL;
}

static const json_t *member(const struct json_at *at, const char *name, struct reason *why) {
    const json_t *value = json_object_get(at->object, name);
    if (!value)
        json_field_wrong(at, name, "is missing", why);
    return value;
}

bool json_field_u64(const struct json_at *at, const char *name, uint64_t *number, struct reason *why) {
    const json_t *value = member(at, name, why);
    if (!value)
        return false;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return json_field_wrong(at, name, "is not a count", why);
    *number = (uint64_t)json_integer_value(value);
    return true;
}

bool json_field_u32(const struct json_at *at, const char *name, uint32_t *number, struct reason *why) {
    uint64_t wide;
    if (!json_field_u64(at, name, &wide, why))
        return false;
    *number = (uint32_t)wide;
    return wide == *number || json_field_wrong(at, name, "is too large", why);
}

bool json_field_bool(const struct json_at *at, const char *name, bool *truth, struct reason *why) {
    const json_t *value = member(at, name, why);
    if (!value)
        return false;
    *truth = json_is_true(value);
    return json_is_boolean(value) || json_field_wrong(at, name, "is neither true nor false", why);
}

bool json_field_text(const struct json_at *at, const char *name, const char **text, struct reason *why) {
    const json_t *value = member(at, name, why);
    if (!value)
        return false;
    *text = json_string_value(value);
    return *text || json_field_wrong(at, name, "is not a string", why);
}

bool json_field_text_or_null(const struct json_at *at, const char *name, const char **text,
                             struct reason *why) {
    *text = NULL;
    return json_is_null(json_object_get(at->object, name)) || json_field_text(at, name, text, why);
}

bool json_field_array(const struct json_at *at, const char *name, const json_t **array, struct reason *why) {
    *array = member(at, name, why);
    return *array && (json_is_array(*array) || json_field_wrong(at, name, "is not an array", why));
}

/* Only as it is written, in lower case: one id has one form. */
static bool parse_id(const char *text, uint64_t *id) {
    *id = 0;
    for (size_t i = 0; i < 16; i++) {
        const char *digits = "0123456789abcdef", *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        *id = *id << 4 | (uint64_t)(digit - digits);
    }
    return text[16] == '\0';
}

bool json_field_id(const struct json_at *at, const char *name, uint64_t *id, bool *is_null,
                   struct reason *why) {
    const char *text;
    if (!json_field_text_or_null(at, name, &text, why))
        return false;
    *is_null = !text;
    return !text || parse_id(text, id) || json_field_wrong(at, name, "is not 16 hexadecimal digits", why);
}

bool json_field_address(const struct json_at *at, const char *name, uint64_t *address, struct reason *why) {
    const char *text;
    if (!json_field_text(at, name, &text, why))
        return false;
    size_t digits = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, "0123456789abcdef") : 0;
    *address = strtoull(text, NULL, 16);
    return (digits && digits <= 16 && !text[2 + digits]) || json_field_wrong(at, name, "is no address", why);
}

bool json_field_object(struct json_at *at, const struct json_at *parent, const char *array, size_t index,
                       struct reason *why) {
    const json_t *object = json_array_get(json_object_get(parent->object, array), index);
    *at = (struct json_at){object, parent, array, index};
    if (json_is_object(object))
        return true;
    char name[64];
    snprintf(name, sizeof name, "%s[%zu]", array, index);
    return json_field_wrong(parent, name, "is not an object", why);
}

/* ---- The modules and the calling frames of a report in JSON. */

static bool read_module(struct report_module *module, size_t index, const struct json_at *top,
                        struct reason *why) {
    struct json_at at;
    return json_field_object(&at, top, "modules", index, why) &&
           json_field_text_or_null(&at, "path", &module->path, why) &&
           json_field_text_or_null(&at, "build_id", &module->build_id, why);
}

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

static bool read_modules(struct report_file *file, const struct json_at *top, struct reason *why) {
    const json_t *array;
    if (!json_field_exists(top, "modules")) {
        list_modules(file);
        return true;
    }
    if (!json_field_array(top, "modules", &array, why))
        return false;
    size_t count = json_array_size(array);
    file->modules = memory_zeros(count, sizeof *file->modules);
    for (size_t i = 0; i < count; i++)
        if (!read_module(&file->modules[i], i, top, why))
            return false;
    modules_sort(file->modules, count);
    file->report.modules = file->modules;
    file->report.modules_size = count;
    return true;
}

static const struct report_module *module_named(const struct report_file *file, const char *path) {
    return path ? modules_find(file->modules, file->report.modules_size, path) : NULL;
}

static void name_build_ids(struct report_file *file) {
    for (size_t i = 0; i < file->report.site_count; i++) {
        struct site_view *view = &file->rows[i].view;
        const struct report_module *module = module_named(file, view->module);
        view->build_id = module ? module->build_id : NULL;
    }
}

static bool read_walks(struct report_file *file, const struct json_at *top, struct reason *why) {
    struct profile_walks *walks = &file->report.walks;
    struct json_at at = {.object = json_object_get(top->object, "walks")};
    if (!at.object)
        return true;
    if (!json_is_object(at.object))
        return json_field_wrong(top, "walks", "is not an object", why);
    return json_field_u64(&at, "depth", &walks->depth, why) &&
           json_field_u64(&at, "by_frame_pointer", &walks->by_frame_pointer, why) &&
           json_field_u64(&at, "by_table", &walks->by_table, why) &&
           json_field_u64(&at, "ended_early", &walks->ended_early, why) &&
           json_field_u64(&at, "without_stack", &walks->without_stack, why) &&
           json_field_u64(&at, "without_caller", &walks->without_caller, why);
}

static bool read_frame(const struct report_file *file, struct report_frame *frame, size_t index,
                       const struct json_at *stack, struct reason *why) {
    struct json_at at;
    const char *module;
    if (!json_field_object(&at, stack, "frames", index, why) ||
        !json_field_text_or_null(&at, "module", &module, why) ||
        !json_field_address(&at, "address", &frame->address, why) ||
        !json_field_text_or_null(&at, "function", &frame->function, why))
        return false;
    frame->module = module_named(file, module);
    return frame->module || !module || json_field_wrong(&at, "module", "is not among the modules", why);
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

static bool read_site(const struct report_file *file, struct report_stack *stack, const struct json_at *at,
                      struct reason *why) {
    uint64_t id;
    bool is_null, is_backing = false;
    if (!json_field_id(at, "site", &id, &is_null, why) ||
        (json_field_exists(at, "backing") && !json_field_bool(at, "backing", &is_backing, why)))
        return false;
    stack->site = is_null ? NULL : find_site(file, id, is_backing);
    return stack->site || json_field_wrong(at, "site", "is no id of a site", why);
}

#define READ_COUNTER(name) &&json_field_u64(at, #name, &stack->counters.name, why)

static bool read_stack(struct report_file *file, size_t index, const struct json_at *top,
                       struct report_frame **frames, struct reason *why) {
    struct report_stack *stack = &file->report.stacks[index];
    const json_t *array;
    struct json_at place, *at = &place;
    if (!json_field_object(at, top, "stacks", index, why) || !read_site(file, stack, at, why) ||
        !json_field_array(at, "frames", &array, why) || !(true ALLOCSITE_SITE_TOTALS(READ_COUNTER)))
        return false;
    stack->frames = *frames;
    for (; stack->frame_count < json_array_size(array); stack->frame_count++)
        if (!read_frame(file, (*frames)++, stack->frame_count, at, why))
            return false;
    file->report.stack_count++;
    return true;
}

static size_t count_frames(const json_t *stacks) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(stacks); i++)
        count += json_array_size(json_object_get(json_array_get(stacks, i), "frames"));
    return count;
}

static bool read_stacks(struct report_file *file, const struct json_at *top, struct reason *why) {
    const json_t *array;
    if (!json_field_exists(top, "stacks"))
        return true;
    if (!json_field_array(top, "stacks", &array, why))
        return false;
    size_t count = json_array_size(array);
    struct report_frame *frames = file->frames = memory_zeros(count_frames(array), sizeof *frames);
    file->report.stacks = memory_zeros(count, sizeof *file->report.stacks);
    for (size_t i = 0; i < count; i++)
        if (!read_stack(file, i, top, &frames, why))
            return false;
    return true;
}

bool report_read_stacks(struct report_file *file, const struct json_at *top, struct reason *why) {
    if (!read_modules(file, top, why))
        return false;
    name_build_ids(file);
    return read_walks(file, top, why) && read_stacks(file, top, why);
}

void report_read_stacks_free(struct report_file *file) {
    free(file->report.stacks);
    free(file->frames);
    free(file->modules);
}
