/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes and collects the layouts of types. */
#include "dump/types/layouts.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/debug/child.h"
#include "dump/elf/elf_file.h"
#include "dump/types/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Padding, from the bytes that members cover. */

static int by_start(const void *left, const void *right) {
    const struct type_extent *a = left, *b = right;
    return compare_u64(a->start, b->start) ?: compare_u64(a->end, b->end);
}

static void name_member(char name[TYPE_MEMBER_SIZE], const struct type_extent *extent) {
    const char *outer = extent->outer, *inner = extent->inner;
    if (!outer || !inner || outer == inner)
        snprintf(name, TYPE_MEMBER_SIZE, "%s", outer ?: inner ?: "");
    else
        snprintf(name, TYPE_MEMBER_SIZE, "%s.%s", outer, inner);
}

static void add_hole(struct type_layout *layout, uint64_t start, uint64_t end,
                     const struct type_extent *before) {
    if (start >= end)
        return;
    layout->padding += end - start;
    if (layout->holes_count++ >= TYPE_HOLES_MAX)
        return;
    struct type_hole *hole = &layout->holes[layout->holes_count - 1];
    *hole = (struct type_hole){.offset = start, .size = end - start};
    if (before)
        name_member(hole->after, before);
}

/* Returns the next extent of a sorted array that has another start. */
static uint64_t end_of(const struct type_extent *extent, const struct type_extent *end, uint64_t size) {
    const struct type_extent *next = extent;
    if (extent->end != TYPE_EXTENT_OPEN)
        return extent->end;
    while (next != end && next->start == extent->start)
        next++;
    return next == end ? size : next->start;
}

void type_layout_fill(struct type_layout *layout, struct type_extent *extents, size_t count) {
    const struct type_extent *before = NULL;
    uint64_t end = 0;
    layout->padding = 0;
    layout->holes_count = 0;
    sort_list(extents, count, sizeof *extents, by_start);
    for (size_t i = 0; i < count && end < layout->size; i++) {
        uint64_t start = extents[i].start, next = end_of(&extents[i], extents + count, layout->size);
        if (next <= end || next <= start)
            continue;
        add_hole(layout, end, start < layout->size ? start : layout->size, before);
        end = next;
        before = &extents[i];
    }
    add_hole(layout, end, layout->size, before);
}

static bool is_same(const struct type_layout *a, const struct type_layout *b) {
    size_t holes = a->holes_count < TYPE_HOLES_MAX ? a->holes_count : TYPE_HOLES_MAX;
    if (a->state != b->state || a->size != b->size || a->padding != b->padding ||
        a->is_flexible != b->is_flexible || a->holes_count != b->holes_count)
        return false;
    for (size_t i = 0; i < holes; i++)
        if (a->holes[i].offset != b->holes[i].offset || a->holes[i].size != b->holes[i].size)
            return false;
    return true;
}

/* A type that is complete in one unit may have incomplete members in another one. */
void type_layout_join(struct type_layout *layout, const struct type_layout *other) {
    if (other->state == TYPE_UNKNOWN || layout->state == TYPE_DIFFERS)
        return;
    bool is_better = layout->is_partial && !other->is_partial && layout->size == other->size;
    bool is_worse = !layout->is_partial && other->is_partial && layout->size == other->size;
    if (layout->state == TYPE_UNKNOWN || is_better)
        *layout = *other;
    else if (!is_worse && !is_same(layout, other))
        layout->state = TYPE_DIFFERS;
}

/* ---- The layouts of all types that the sites of a report allocate. */

enum { POINTER_SIZE = 8 };

static bool is_type(const void *key, const void *context, size_t element) {
    const struct site_view *view = key;
    const struct module_type *type = &((const struct type_layouts *)context)->types[element];
    return is_same_text(view->type, type->type) && is_same_text(view->module, type->module);
}

static uint64_t hash_type(const struct site_view *view) {
    return hash_text(hash_text(0, view->type), view->module);
}

static size_t find_type(const struct type_layouts *layouts, const struct site_view *view) {
    return hash_find(&layouts->index, hash_type(view), is_type, view, layouts);
}

/* An array has the layout of its element; const and volatile do not matter. */
static bool read_name(struct type_name *name, const char *type) {
    static const char *const around[] = {"const ", "volatile "};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        if (strncmp(type, around[i], strlen(around[i])) == 0)
            type += strlen(around[i]);
    if (!type_name_read(name, type))
        return false;
    const char *bracket = type_name_find(name->text, "[");
    if (bracket && name->text[strlen(name->text) - 1] == ']')
        name->text[bracket - name->text] = '\0';
    return name->text[0] != '\0';
}

/* Pointers have no named entries in debug information, and no padding. */
static bool is_pointer(const char *name) {
    const char *group = type_name_find(name, "(");
    return name[strlen(name) - 1] == '*' || (group && strncmp(group, "(*)", strlen("(*)")) == 0);
}

static void add_type(struct type_layouts *layouts, const struct site_view *view) {
    memory_grow(&layouts->types, layouts->count, &layouts->capacity, sizeof *layouts->types);
    struct module_type *type = &layouts->types[layouts->count];
    memset(type, 0, sizeof *type);
    type->module = view->module;
    type->type = view->type;
    struct type_name name;
    if (read_name(&name, view->type))
        type->name = (struct type_sought){string_keep(&layouts->names, name.text), name.is_tag};
    if (type->name.text && is_pointer(type->name.text))
        type->layout = (struct type_layout){.state = TYPE_KNOWN, .size = POINTER_SIZE};
    hash_put(&layouts->index, hash_type(view), layouts->count++);
}

static void add_alternatives(struct type_layouts *layouts, struct site_view view) {
    char name[TYPE_NAME_SIZE];
    for (const char *left = view.type; type_name_alternative(&left, name);) {
        view.type = string_keep(&layouts->alternatives, name);
        if (find_type(layouts, &view) == HASH_NONE)
            add_type(layouts, &view);
    }
}

static void add_types(struct type_layouts *layouts, const struct report *report) {
    for (size_t i = 0; i < report->counted; i++) {
        const struct site_view *view = &report->sites[i]->view;
        if (!view->sited || !view->type)
            continue;
        if (find_type(layouts, view) == HASH_NONE)
            add_type(layouts, view);
        if (layouts->wants_fields && strstr(view->type, TYPE_NAME_OR))
            add_alternatives(layouts, *view);
    }
}

/* Memory shared with the child process that reads. A corrupted child may have written anything. */
struct shared {
    struct reason why;
    const struct elf_file *elf;
    const struct type_sought *names;
    size_t count;
    struct type_fields *fields;
    struct type_layout layouts[];
};

static int read_there(void *context) {
    struct shared *shared = context;
    return !debug_types(shared->layouts, shared->fields, shared->names, shared->count, shared->elf,
                        &shared->why);
}

static bool read_shared(struct shared *shared, struct reason *why) {
    reason_set(&shared->why, "libdwarf failed on its debug information");
    int status = debug_child(read_there, shared, why);
    if (status > 0) {
        *why = shared->why;
        why->text[sizeof why->text - 1] = '\0';
    }
    return status == 0;
}

/* Terminates the names of holes and bounds their number, since the child may be corrupted. */
static struct type_layout checked_layout(const struct type_layout *from, const struct type_fields *fields) {
    struct type_layout layout = *from;
    if (!fields || layout.first_field > fields->count ||
        layout.field_count > fields->count - layout.first_field)
        layout.field_count = 0;
    if (layout.state > TYPE_VIRTUAL || !layout.size || layout.padding > layout.size)
        return (struct type_layout){.state = TYPE_UNKNOWN};
    for (size_t i = 0; i < TYPE_HOLES_MAX; i++)
        layout.holes[i].after[TYPE_MEMBER_SIZE - 1] = '\0';
    return layout;
}

/* The types of one module to look up. */
struct wanted {
    size_t *types;
    struct type_sought *names;
    size_t count;
};

static void *map_shared(size_t size) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static struct type_fields *make_fields(struct type_layouts *layouts) {
    struct type_fields *fields = layouts->wants_fields ? map_shared(sizeof *fields) : NULL;
    if (!fields)
        return NULL;
    struct module_fields *link = memory_zeros(1, sizeof *link);
    *link = (struct module_fields){fields, layouts->fields};
    layouts->fields = link;
    return fields;
}

/* Terminates the text and bounds the fields and their names. */
static void check_fields(struct type_fields *fields) {
    const uint32_t capacity = sizeof fields->list / sizeof *fields->list;
    if (!fields)
        return;
    fields->count = fields->count < capacity ? fields->count : capacity;
    fields->text[sizeof fields->text - 1] = '\0';
    for (uint32_t i = 0; i < fields->count; i++)
        fields->list[i].name %= sizeof fields->text;
}

static bool look_up(struct type_layouts *layouts, const struct wanted *wanted, const struct elf_file *elf,
                    struct reason *why) {
    size_t size = sizeof(struct shared) + wanted->count * sizeof(struct type_layout);
    struct shared *shared = map_shared(size);
    if (!shared)
        return reason_set(why, "out of memory");
    shared->fields = make_fields(layouts);
    struct type_fields *fields = shared->fields;
    shared->elf = elf;
    shared->names = wanted->names;
    shared->count = wanted->count;
    bool is_read = read_shared(shared, why);
    check_fields(fields);
    for (size_t i = 0; i < wanted->count; i++) {
        struct module_type *type = &layouts->types[wanted->types[i]];
        type->layout = checked_layout(&shared->layouts[i], fields);
        type->fields = fields;
    }
    munmap(shared, size);
    return is_read;
}

static bool look_into(struct type_layouts *layouts, const struct wanted *wanted,
                      const struct report_module *module, struct reason *why) {
    struct module_files files;
    module_files_open(&files, module->path, module->build_id, layouts->search);
    const struct elf_file *elf = module_files_with(&files, ".debug_info");
    bool is_read = false;
    if (elf)
        is_read = look_up(layouts, wanted, elf, why);
    else
        reason_set(why, "%s",
                   files.module.is_open ? "it has no debug information (compile with -g)" : files.why.text);
    return module_files_close(&files, why) && is_read;
}

static bool list_wanted(struct wanted *wanted, const struct type_layouts *layouts, const char *module) {
    wanted->count = 0;
    for (size_t i = 0; i < layouts->count; i++) {
        const struct module_type *type = &layouts->types[i];
        if (type->layout.state != TYPE_UNKNOWN || !type->name.text || !is_same_text(type->module, module))
            continue;
        wanted->types[wanted->count] = i;
        wanted->names[wanted->count++] = type->name;
    }
    return wanted->count;
}

static void look_into_all(struct type_layouts *layouts, struct wanted *wanted,
                          const struct module_list *modules) {
    struct reason why;
    for (size_t i = 0; i < modules->count; i++) {
        const struct report_module *module = &modules->list[i];
        if (!module_list_has_file(modules, module) || !list_wanted(wanted, layouts, module->path) ||
            look_into(layouts, wanted, module, &why))
            continue;
        memory_grow(&layouts->unknown, layouts->unknown_count, &layouts->unknown_capacity,
                    sizeof *layouts->unknown);
        struct types_unknown *unknown = &layouts->unknown[layouts->unknown_count++];
        unknown->module = module->path;
        snprintf(unknown->why, sizeof unknown->why, "%s", why.text);
    }
}

static bool has_type(const void *key, const void *context, size_t element) {
    return is_same_text(key, ((const struct type_layouts *)context)->types[element].type);
}

/* A type that a module only declares gets its layout from another module. */
static void borrow_layouts(struct type_layouts *layouts) {
    struct hash_index known = {.count = 0};
    for (size_t i = 0; i < layouts->count; i++)
        if (layouts->types[i].layout.state != TYPE_UNKNOWN)
            hash_put(&known, hash_text(0, layouts->types[i].type), i);
    for (size_t i = 0; i < layouts->count; i++) {
        struct module_type *to = &layouts->types[i];
        size_t from = hash_find(&known, hash_text(0, to->type), has_type, to->type, layouts);
        if (to->layout.state == TYPE_UNKNOWN && from != HASH_NONE) {
            to->layout = layouts->types[from].layout;
            to->fields = layouts->types[from].fields;
        }
    }
    hash_free(&known);
}

void type_layouts_read(struct type_layouts *layouts, const struct report *report,
                       const struct module_list *modules) {
    add_types(layouts, report);
    struct wanted wanted = {.types = memory_zeros(layouts->count, sizeof *wanted.types),
                            .names = memory_zeros(layouts->count, sizeof *wanted.names)};
    look_into_all(layouts, &wanted, modules);
    borrow_layouts(layouts);
    free(wanted.types);
    free(wanted.names);
}

const struct module_type *type_layouts_find(const struct type_layouts *layouts,
                                            const struct site_view *view) {
    size_t found = view->sited && view->type ? find_type(layouts, view) : HASH_NONE;
    return found == HASH_NONE ? NULL : &layouts->types[found];
}

const struct type_layout *type_layouts_of(const struct type_layouts *layouts, const struct site_view *view) {
    const struct module_type *type = type_layouts_find(layouts, view);
    return type ? &type->layout : NULL;
}

void type_layouts_free(struct type_layouts *layouts) {
    for (struct module_fields *link = layouts->fields, *next; link; link = next) {
        next = link->next;
        munmap(link->fields, sizeof *link->fields);
        free(link);
    }
    hash_free(&layouts->index);
    string_pool_free(&layouts->alternatives);
    string_pool_free(&layouts->names);
    free(layouts->types);
    free(layouts->unknown);
}
