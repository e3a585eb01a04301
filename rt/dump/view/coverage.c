/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites of a program's modules have run: the modules, and what is made of their sites. */
#include "dump/view/coverage.h"

#include "base/path.h"
#include "base/sort.h"
#include "dump/base/complain.h"
#include "dump/base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Unknown comes last; files in the order in which they are shown. */
static int compare_paths(const char *a, const char *b) {
    char left[PATH_MAX], right[PATH_MAX];
    if (a == b || !a || !b)
        return !a - !b;
    path_show(left, sizeof left, a, NULL);
    path_show(right, sizeof right, b, NULL);
    return strcmp(left, right);
}

static int by_place(const void *left, const void *right) {
    const struct site_view *a = &((const struct covered_site *)left)->site.view,
                           *b = &((const struct covered_site *)right)->site.view;
    return compare_paths(a->at.file, b->at.file)
               ?: compare_u64(a->at.line, b->at.line)
               ?: compare_u64(a->at.column, b->at.column)
               ?: compare_names(a->at.function, b->at.function)
               ?: compare_names(a->callee, b->callee)
               ?: compare_names(a->module, b->module) ?: compare_u64(a->id, b->id);
}

static void sum_up(struct coverage *coverage) {
    if (coverage->count)
        qsort(coverage->sites, coverage->count, sizeof *coverage->sites, by_place);
    for (size_t i = 0; i < coverage->count; i++) {
        const struct covered_site *site = &coverage->sites[i];
        const char *path = site->site.view.at.file;
        size_t last = coverage->file_count;
        if (!last || compare_paths(coverage->files[last - 1].path, path) != 0) {
            memory_grow(&coverage->files, last, &coverage->file_room, sizeof *coverage->files);
            coverage->files[coverage->file_count++] = (struct covered_file){.path = path};
        }
        struct covered_file *file = &coverage->files[coverage->file_count - 1];
        file->sites++;
        file->ran += site->ran;
        coverage->ran += site->ran;
    }
}

static void read_modules(struct coverage *coverage, const struct module_list *modules,
                         const struct coverage_rows *rows) {
    coverage->modules = memory_zeros(modules->count, sizeof *coverage->modules);
    for (size_t i = 0; i < modules->count; i++) {
        const struct report_module *from = &modules->list[i];
        struct covered_module *module = &coverage->modules[coverage->module_count];
        *module = (struct covered_module){.path = from->path, .build_id = from->build_id};
        if (!module_list_has_file(modules, from))
            continue;
        coverage->module_count++;
        coverage_module_read(coverage, module, rows);
    }
}

void coverage_read(struct coverage *coverage, const struct module_list *modules,
                   const struct report *report) {
    struct coverage_rows rows;
    coverage_rows_open(&rows, report);
    read_modules(coverage, modules, &rows);
    coverage_rows_close(&rows);
    sum_up(coverage);
}

int coverage_check(const struct coverage *coverage) {
    int status = STATUS_DONE;
    for (size_t i = 0; i < coverage->module_count; i++) {
        const struct covered_module *module = &coverage->modules[i];
        if (!module->unknown)
            continue;
        complain(module->path, "its sites are not known: %s", module->unknown);
        status = STATUS_FAILED;
    }
    return status;
}

void coverage_free(struct coverage *coverage) {
    for (size_t i = 0; i < coverage->count; i++)
        free((void *)coverage->sites[i].site.view.inlined);
    for (size_t i = 0; i < coverage->module_count; i++)
        free(coverage->modules[i].unknown);
    free(coverage->modules);
    free(coverage->sites);
    free(coverage->files);
    string_pool_free(&coverage->strings);
}
