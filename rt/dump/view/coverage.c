/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites of a program's modules have run: the modules, and what is made of their sites. */
#include "dump/view/coverage.h"

#include "base/grow.h"
#include "base/path.h"
#include "dump/base/complain.h"

#include <limits.h>
#include <string.h>

/* Unknown comes last; files in the order in which they are shown. */
static int compare_paths(const char *a, const char *b) {
    char left[PATH_MAX], right[PATH_MAX];
    if (a == b)
        return 0;
    if (!a || !b)
        return a ? -1 : 1;
    path_show(left, sizeof left, a, NULL);
    path_show(right, sizeof right, b, NULL);
    return strcmp(left, right);
}

static int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

static int by_place(const void *left, const void *right) {
    const struct site_view *a = &((const struct covered_site *)left)->site.view,
                           *b = &((const struct covered_site *)right)->site.view;
    int order;
    if ((order = compare_paths(a->at.file, b->at.file)) || (order = compare_u64(a->at.line, b->at.line)) ||
        (order = compare_u64(a->at.column, b->at.column)) ||
        (order = compare_texts(a->at.function, b->at.function)) ||
        (order = compare_texts(a->callee, b->callee)) || (order = compare_texts(a->module, b->module)))
        return order;
    return compare_u64(a->id, b->id);
}

static bool sum_up(struct coverage *coverage) {
    if (coverage->count)
        qsort(coverage->sites, coverage->count, sizeof *coverage->sites, by_place);
    for (size_t i = 0; i < coverage->count; i++) {
        const struct covered_site *site = &coverage->sites[i];
        const char *path = site->site.view.at.file;
        size_t last = coverage->file_count;
        if (!last || compare_paths(coverage->files[last - 1].path, path) != 0) {
            if (!grow(&coverage->files, last, &coverage->file_room, sizeof *coverage->files))
                return false;
            coverage->files[coverage->file_count++] = (struct covered_file){.path = path};
        }
        struct covered_file *file = &coverage->files[coverage->file_count - 1];
        file->sites++;
        file->ran += site->ran;
        coverage->ran += site->ran;
    }
    return true;
}

static bool read_modules(struct coverage *coverage, const struct module_list *modules,
                         const struct coverage_rows *rows) {
    coverage->modules = calloc(modules->count + 1, sizeof *coverage->modules);
    for (size_t i = 0; coverage->modules && i < modules->count; i++) {
        const struct report_module *from = &modules->list[i];
        struct covered_module *module = &coverage->modules[coverage->module_count];
        *module = (struct covered_module){.path = from->path, .build_id = from->build_id};
        if (!module_list_has_file(modules, from))
            continue;
        coverage->module_count++;
        if (!coverage_module_read(coverage, module, rows))
            return false;
    }
    return coverage->modules != NULL;
}

bool coverage_read(struct coverage *coverage, const struct module_list *modules, const struct report *report,
                   struct reason *why) {
    struct coverage_rows rows;
    bool is_read = coverage_rows_open(&rows, report) && read_modules(coverage, modules, &rows);
    coverage_rows_close(&rows);
    return (is_read && sum_up(coverage)) || reason_set(why, "out of memory");
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
