/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules that reports name. */
#include "dump/load/module_list.h"

#include "base/grow.h"

#include <string.h>

static bool is_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool add(struct module_list *modules, const char *path, const char *build_id) {
    for (size_t i = 0; i < modules->count; i++)
        if (is_text(modules->list[i].path, path) && is_text(modules->list[i].build_id, build_id))
            return true;
    if (!string_pool_keep(&modules->strings, &path) || !string_pool_keep(&modules->strings, &build_id) ||
        !grow(&modules->list, modules->count, &modules->room, sizeof *modules->list))
        return false;
    modules->list[modules->count++] = (struct report_module){.path = path, .build_id = build_id};
    return true;
}

static bool add_all(struct module_list *modules, const struct report_module *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (from[i].path && !add(modules, from[i].path, from[i].build_id))
            return false;
    return true;
}

/* A report in JSON tells of most modules only by its rows. */
static bool add_rows(struct module_list *modules, const struct report *report) {
    const char *last = NULL;
    for (size_t i = 0; i < report->site_count; i++) {
        const char *module = report->sites[i]->view.module;
        if (module && module != last && !add(modules, module, NULL))
            return false;
        last = module;
    }
    return true;
}

/* Of several programs the report's name is none of a file. */
static bool add_program(struct module_list *modules, const struct report *report) {
    return !report->program || report->program[0] != '/' || add(modules, report->program, NULL);
}

bool module_list_take(struct module_list *modules, const struct report_source *source, struct reason *why) {
    const struct report *report = source->report;
    const struct profile_modules *named = source->is_profile ? &source->profile.modules : NULL;
    bool is_taken = (!named || add_all(modules, named->list, named->count)) &&
                    add_all(modules, report->modules, report->modules_size) && add_rows(modules, report) &&
                    add_program(modules, report);
    return is_taken || reason_set(why, "out of memory");
}

/* "[no module]" and its like stand for what is in no file. */
bool module_list_has_file(const struct module_list *modules, const struct report_module *module) {
    if (module->path[0] == '[' || strncmp(module->path, "linux-vdso", strlen("linux-vdso")) == 0)
        return false;
    for (size_t i = 0; !module->build_id && i < modules->count; i++)
        if (modules->list[i].build_id && is_text(modules->list[i].path, module->path))
            return false;
    return true;
}

void module_list_free(struct module_list *modules) {
    free(modules->list);
    string_pool_free(&modules->strings);
}
