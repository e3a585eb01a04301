/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the module without symbols that most call paths go through, and its Debian package, so that a report
 * can say how to get its names. */
#include "dump/line/symbolize.h"

#include "base/path.h"
#include "dump/base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Packages, found in dpkg's lists as dpkg -S does. */

static bool package_has_line(const char *text, size_t size, const char *line) {
    size_t length = strlen(line);
    for (const char *end = text + size, *next; text < end; text = next + 1) {
        next = memchr(text, '\n', (size_t)(end - text)) ?: end;
        if ((size_t)(next - text) == length && memcmp(text, line, length) == 0)
            return true;
    }
    return false;
}

/* /bin and /lib are links to folders of /usr, so the list and the loader may name a file differently. */
static bool package_has_file(const char *list, const char *path) {
    char below_usr[PATH_MAX];
    struct file_map map;
    struct reason unimportant;
    if (!file_map(&map, list, &unimportant))
        return false;
    path += strncmp(path, "/usr/", 5) == 0 ? 4 : 0;
    bool is_whole = snprintf(below_usr, sizeof below_usr, "/usr%s", path) < (int)sizeof below_usr;
    bool found = package_has_line(map.bytes, map.size, path) ||
                 (is_whole && package_has_line(map.bytes, map.size, below_usr));
    file_unmap(&map, &unimportant);
    return found;
}

/* Returns "libdwarf1" for "/var/lib/dpkg/info/libdwarf1:amd64.list"; NULL: not a list. */
static char *package_name(const char *list) {
    const char *name = path_base(list), *suffix = strrchr(name, '.'), *architecture = strchr(name, ':');
    if (!suffix || strcmp(suffix, ".list") != 0)
        return NULL;
    return memory_need(strndup(name, (size_t)((architecture ?: suffix) - name)));
}

/* Returns the Debian package that contains the file; NULL: unknown. The caller frees it. */
static char *package_with(const char *path, const struct module_search *search) {
    char folder[PATH_MAX], *found = NULL;
    int count = 0;
    snprintf(folder, sizeof folder, "%s/var/lib/dpkg/info", search->sysroot ? search->sysroot : "");
    char **lists = folder_files(folder, &count);
    for (int i = 0; i < count; i++) {
        char *package = found ? NULL : package_name(lists[i]);
        if (package && package_has_file(lists[i], path))
            found = package;
        else
            free(package);
        free(lists[i]);
    }
    free(lists);
    return found;
}

/* ---- The module. */

/* A module is mentioned only if at least one in this number of calls goes through it. */
enum { NAMELESS_LEAST = 4 };

/* Returns the module of the innermost frame without a name; NULL: all have names. Paths through the C library
 * do not count: every path ends in it, and it is stripped on most systems. */
static const struct report_module *nameless_of(const struct symbolizer *symbolizer,
                                               const struct report_stack *stack) {
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct report_frame *frame = &stack->frames[i];
        const struct report_module *module = frame->module;
        bool is_named = frame->function && frame->function[0] != '[';
        if (module && !is_named && !path_is_c_library(module->path) &&
            symbolizer_lacks_names(symbolizer, module->path, module->build_id))
            return module;
    }
    return NULL;
}

void symbolizer_nameless(struct symbolizer *symbolizer, struct report *report) {
    struct number_map calls = {.count = 0};
    struct report_nameless *nameless = &report->nameless;
    uint64_t all = 0;
    for (size_t i = 0; i < report->stack_count; i++) {
        const struct report_stack *stack = &report->stacks[i];
        if (report_library_use(stack->site))
            continue;
        const struct report_module *module = nameless_of(symbolizer, stack);
        uint64_t more = counters_calls(&stack->counters);
        all += more;
        if (!module)
            continue;
        uint64_t key = hash_text(0, module->path);
        if (!number_map_add(&calls, key, more))
            *number_map_find(&calls, key) += more;
        uint64_t sum = *number_map_find(&calls, key);
        if (sum > nameless->calls)
            *nameless = (struct report_nameless){.module = module->path, .calls = sum};
    }
    number_map_free(&calls);
    if (nameless->calls < all / NAMELESS_LEAST)
        *nameless = (struct report_nameless){.module = NULL};
    if (!nameless->module)
        return;
    char *package = package_with(nameless->module, &symbolizer->search);
    nameless->package = string_keep(&symbolizer->strings, package);
    free(package);
}
