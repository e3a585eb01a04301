/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the calls of a path that are not the line of an allocation. */
#include "dump/line/pass_through.h"

#include "base/path.h"
#include "base/words.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/table/table.h"
#include "format.h"
#include "model/filter.h"

#include <stdlib.h>
#include <string.h>

struct pass_module {
    const char *path, *build_id;
    bool is_compiled; /* with the plugin */
    bool is_systems;  /* a shared object of the system */
};

/* One entry of a module's table. The pool owns the strings. */
struct pass_function {
    const char *name; /* the part that all demanglers print alike; NULL: all functions in the file */
    const char *file; /* the last component */
    const char *symbol, *depends;
    uint32_t flags; /* as in format.h; dependencies are assumed to pass through until settle has run */
};

/* ---- The tables of modules. */

static uint64_t hash_name(const char *name, const char *file) {
    return hash_text(hash_text(0, name), file);
}

static bool is_name(const void *key, const void *context, size_t element) {
    const struct pass_function *a = key, *b = &((const struct pass_function *)context)[element];
    return is_same_text(a->name, b->name) && is_same_text(a->file, b->file);
}

static const char *keep_base(struct pass_through *passing, const char *function) {
    char *base = function_base_copy(function);
    const char *kept = string_keep(&passing->strings, base);
    free(base);
    return kept;
}

static void add_function(struct pass_through *passing, const struct table_function *from) {
    struct pass_function function = {
        .name = keep_base(passing, from->function),
        .file = string_keep(&passing->strings, from->function ? path_base(from->file) : from->file),
        .symbol = string_keep(&passing->strings, from->symbol),
        .depends = string_keep(&passing->strings, from->depends),
        .flags = from->flags,
    };
    memory_grow(&passing->functions, passing->function_count, &passing->function_capacity,
                sizeof *passing->functions);
    passing->functions[passing->function_count++] = function;
    if (function.symbol)
        number_map_add(&passing->symbols, (uintptr_t)function.symbol, true);
}

static void read_table(struct pass_through *passing, struct pass_module *module, const struct elf_file *elf) {
    struct module_table read;
    struct reason why;
    module->is_compiled = module_has_table(elf);
    if (!module->is_compiled || !module_table_read(&read, elf, &why))
        return;
    for (size_t i = 0; i < read.table.function_count; i++)
        add_function(passing, &read.table.functions[i]);
    call_types_add(&passing->types, &read.table, &passing->strings);
    module_table_free(&read);
}

static bool is_in_system(const char *path) {
    return strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0;
}

static bool is_module(const void *key, const void *context, size_t element) {
    const struct report_module *a = key;
    const struct pass_module *b = &((const struct pass_module *)context)[element];
    return is_same_text(a->path, b->path) && is_same_text(a->build_id, b->build_id);
}

static uint64_t hash_module(const struct report_module *module) {
    return hash_text(hash_text(0, module->path), module->build_id);
}

static void read_module(struct pass_through *passing, const struct report_module *from,
                        const struct module_search *search) {
    struct pass_module module = {.path = string_keep(&passing->strings, from->path),
                                 .build_id = string_keep(&passing->strings, from->build_id),
                                 .is_systems = is_in_system(from->path)};
    struct module_search local = *search;
    struct module_files files;
    struct reason why;
    local.stays_local = true; /* servers only have debug information, not the tables */
    module_files_open(&files, from->path, from->build_id, &local);
    if (files.module.is_open)
        read_table(passing, &module, &files.module.elf);
    module_files_close(&files, &why);
    hash_put(&passing->by_module, hash_module(from), passing->module_count);
    memory_grow(&passing->modules, passing->module_count, &passing->module_capacity,
                sizeof *passing->modules);
    passing->modules[passing->module_count++] = module;
    passing->is_any_compiled |= module.is_compiled;
}

/* Clears the flag of functions that depend on functions that do not pass through, until nothing changes. */
static void pass_through_settle(struct pass_through *passing) {
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (size_t i = 0; i < passing->function_count; i++) {
            const struct pass_function *function = &passing->functions[i];
            uint64_t *passes = function->symbol && function->depends
                                   ? number_map_find(&passing->symbols, (uintptr_t)function->symbol)
                                   : NULL;
            const uint64_t *depends =
                passes ? number_map_find(&passing->symbols, (uintptr_t)function->depends) : NULL;
            if (!passes || !*passes || (depends && *depends))
                continue;
            *passes = false;
            is_changed = true;
        }
    }
}

static bool pass_through_holds(const struct pass_through *passing, const struct pass_function *function) {
    const uint64_t *settled =
        function->symbol ? number_map_find(&passing->symbols, (uintptr_t)function->symbol) : NULL;
    return !settled || *settled;
}

static void index_functions(struct pass_through *passing) {
    pass_through_settle(passing);
    hash_free(&passing->by_name);
    passing->by_name = (struct hash_index){0};
    for (size_t i = 0; i < passing->function_count; i++) {
        const struct pass_function *function = &passing->functions[i];
        if (pass_through_holds(passing, function))
            hash_put(&passing->by_name, hash_name(function->name, function->file), i);
    }
}

void pass_through_load(struct pass_through *passing, const struct report *report,
                       const struct module_search *search) {
    size_t before = passing->module_count;
    for (size_t i = 0; i < report->modules_size; i++) {
        const struct report_module *module = &report->modules[i];
        if (module_is_file(module->path) && hash_find(&passing->by_module, hash_module(module), is_module,
                                                      module, passing->modules) == HASH_NONE)
            read_module(passing, module, search);
    }
    if (passing->module_count != before)
        index_functions(passing);
}

void pass_through_free(struct pass_through *passing) {
    free(passing->modules);
    free(passing->functions);
    hash_free(&passing->by_module);
    hash_free(&passing->by_name);
    number_map_free(&passing->symbols);
    call_types_free(&passing->types);
    string_pool_free(&passing->strings);
}

/* ---- The flags of a place. */

static uint32_t flags_of(const struct pass_through *passing, const char *name, const char *file) {
    const struct pass_function key = {.name = name, .file = file};
    size_t found = hash_find(&passing->by_name, hash_name(name, file), is_name, &key, passing->functions);
    return found == HASH_NONE ? 0 : passing->functions[found].flags;
}

static bool is_standard(const char *base) {
    static const char *const scopes[] = {"std::", "__gnu_cxx::", "__cxxabiv1::", "operator new",
                                         "operator delete"};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (strncmp(base, scopes[i], strlen(scopes[i])) == 0)
            return true;
    return false;
}

/* Finds a module by path alone, because a place has no build id. Returns NULL if the report lacks the
 * module. */
static const struct pass_module *module_of(const struct pass_through *passing, const char *path) {
    const struct pass_module *found = NULL;
    for (size_t i = 0; path && i < passing->module_count; i++)
        if (strcmp(passing->modules[i].path, path) == 0 && (!found || passing->modules[i].is_compiled))
            found = &passing->modules[i];
    return found;
}

bool pass_through_is_compiled(const struct pass_through *passing, const struct path_place *place) {
    const struct pass_module *module = module_of(passing, place->module);
    return module && module->is_compiled;
}

static bool is_in_library(const struct pass_through *passing, const char *path) {
    const struct pass_module *module = module_of(passing, path);
    return module && !module->is_compiled && (passing->is_any_compiled || module->is_systems);
}

static bool is_library(const struct pass_through *passing, const struct path_place *place, const char *base) {
    if (is_in_library(passing, place->module) || (base && is_standard(base)))
        return true;
    if (!place->file)
        return false;
    return path_is_of_system(place->file) || flags_of(passing, NULL, place->file) & ALLOCSITE_LIBRARY ||
           (base && flags_of(passing, base, path_base(place->file)) & ALLOCSITE_LIBRARY);
}

static bool passes_by_table(const struct pass_through *passing, const struct path_place *place,
                            const char *base) {
    return base && place->file &&
           flags_of(passing, base, path_base(place->file)) & (ALLOCSITE_PASSES_THROUGH | ALLOCSITE_DECLARED);
}

static bool is_matched(const char *pattern, const struct path_place *place) {
    return filter_is_place(pattern, &(struct place){place->function, place->file, place->line, 0}) ||
           (place->module && filter_is_path(pattern, place->module));
}

static bool are_matched(const char *patterns, const struct path_place *place) {
    bool is_one = false;
    if (!*patterns)
        return false;
    char *copy = memory_text("%s", patterns), *remaining = copy;
    for (char *pattern; !is_one && (pattern = strsep(&remaining, ","));)
        is_one = *pattern && is_matched(pattern, place);
    free(copy);
    return is_one;
}

unsigned pass_through_flags(const struct pass_through *passing, const struct line_options *options,
                            const struct path_place *place) {
    if (path_place_is_cut(place))
        return PASS_LIBRARY | PASS_THROUGH;
    char *base = function_base_copy(place->function);
    bool is_of_library = is_library(passing, place, base);
    bool passes = !are_matched(options->stop, place) && (are_matched(options->skip, place) || is_of_library ||
                                                         passes_by_table(passing, place, base));
    free(base);
    return (is_of_library ? PASS_LIBRARY : 0) | (passes ? PASS_THROUGH : 0);
}
