/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the sites of a program's modules that have run. */
#include "dump/view/view.h"

#include "base/arrays.h"
#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/elf/elf_file.h"
#include "dump/elf/module_files.h"
#include "dump/table/table.h"
#include "format.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- The rows that have run, found by identity and by id alone. */

struct coverage_rows {
    const struct report *report;
    struct hash_index by_identity, by_id;
};

static uint64_t hash_id(const struct site_view *view) {
    return hash_text(hash_number(0, view->id), view->module);
}

static uint64_t hash_identity(const struct site_view *view) {
    uint64_t hash = hash_number(hash_id(view), (uint64_t)view->at.line << 32 | view->at.column);
    return hash_text(hash_text(hash, view->at.function), view->at.file);
}

static bool is_id(const void *key, const void *context, size_t element) {
    const struct site_view *a = key, *b = &((const struct report *)context)->sites[element]->view;
    return a->id == b->id && is_same_text(a->module, b->module);
}

static bool is_identity(const void *key, const void *context, size_t element) {
    const struct site_view *a = key, *b = &((const struct report *)context)->sites[element]->view;
    return is_id(key, context, element) && a->at.line == b->at.line && a->at.column == b->at.column &&
           is_same_text(a->at.function, b->at.function) && is_same_text(a->at.file, b->at.file) &&
           is_same_text(a->callee, b->callee);
}

static bool has_run(const struct report_site *row) {
    return row->view.sited && (counters_calls(&row->counters) || row->counters.failed);
}

static void open_rows(struct coverage_rows *rows, const struct report *report) {
    *rows = (struct coverage_rows){.report = report};
    for (size_t i = 0; i < report->site_count; i++) {
        const struct report_site *row = report->sites[i];
        if (!has_run(row))
            continue;
        hash_put(&rows->by_id, hash_id(&row->view), i);
        hash_put(&rows->by_identity, hash_identity(&row->view), i);
    }
}

static void close_rows(struct coverage_rows *rows) {
    hash_free(&rows->by_id);
    hash_free(&rows->by_identity);
}

/* ---- The sites of one module's file, compared with these rows. */

struct reading {
    struct coverage *coverage;
    struct covered_module *module;
    const struct coverage_rows *rows;
    size_t first; /* index of the module's first site */
};

static void unknown(struct reading *reading, const char *why) {
    reading->module->unknown = memory_text("%s", why);
}

/* Copies the strings of the site, because the table is freed with its file. */
static void add_site(struct reading *reading, const struct table *table, const struct table_site *from) {
    struct coverage *coverage = reading->coverage;
    struct place chain[TABLE_CHAIN_MAX];
    struct covered_site site = {.kind = from->kind};
    struct site_view view = sites_view(reading->module->path, table, from, chain);
    site_keep(&site.site.view, &view, &coverage->strings);
    memory_grow(&coverage->sites, coverage->count, &coverage->room, sizeof *coverage->sites);
    coverage->sites[coverage->count++] = site;
}

static int by_id(const void *left, const void *right) {
    uint64_t a = ((const struct covered_site *)left)->site.view.id,
             b = ((const struct covered_site *)right)->site.view.id;
    return compare_u64(a, b);
}

/* Returns the sites of the current module; NULL if no module has sites so far. */
static struct covered_site *own_sites(const struct reading *reading) {
    struct covered_site *all = reading->coverage->sites;
    return all ? all + reading->first : NULL;
}

/* Marks the sites that have run. A site with a unique id is found by id alone, even if it has another line in
 * the build that ran. Sites that share an id must also match the row's source location. */
static void judge(struct reading *reading) {
    struct covered_site *sites = own_sites(reading);
    size_t count = reading->coverage->count - reading->first;
    const struct coverage_rows *rows = reading->rows;
    sort_list(sites, count, sizeof *sites, by_id);
    for (size_t i = 0; i < count; i++) {
        const struct site_view *view = &sites[i].site.view;
        bool is_alone = (i == 0 || by_id(&sites[i - 1], &sites[i]) != 0) &&
                        (i + 1 == count || by_id(&sites[i + 1], &sites[i]) != 0);
        size_t found =
            is_alone ? hash_find(&rows->by_id, hash_id(view), is_id, view, rows->report)
                     : hash_find(&rows->by_identity, hash_identity(view), is_identity, view, rows->report);
        sites[i].ran = found != HASH_NONE;
        reading->module->ran += sites[i].ran;
    }
    reading->module->sites = count;
}

/* Returns whether an unused site is in a header of the C++ standard library, with code for many cases that a
 * program does not use. */
static bool is_spare(const struct covered_site *site) {
    const struct site_view *view = &site->site.view;
    return !site->ran && view->at.file && strstr(view->at.file, "/include/c++/");
}

static void drop_spare(struct reading *reading) {
    struct coverage *coverage = reading->coverage;
    size_t kept = reading->first;
    for (size_t i = reading->first; i < coverage->count; i++) {
        if (is_spare(&coverage->sites[i]))
            free((void *)coverage->sites[i].site.view.inlined);
        else
            coverage->sites[kept++] = coverage->sites[i];
    }
    coverage->count = kept;
    reading->module->sites = kept - reading->first;
}

/* Returns whether the file has every site that ran in this module. If a build id is missing, this identifies
 * the file that ran. */
static bool has_all_rows(const struct reading *reading) {
    const struct report *report = reading->rows->report;
    struct covered_site *sites = own_sites(reading), key;
    size_t count = reading->coverage->count - reading->first;
    for (size_t i = 0; i < report->site_count; i++) {
        key.site = *report->sites[i];
        if (has_run(report->sites[i]) && is_same_text(key.site.view.module, reading->module->path) &&
            (!count || !bsearch(&key, sites, count, sizeof *sites, by_id)))
            return false;
    }
    return true;
}

static void drop_sites(struct reading *reading) {
    while (reading->coverage->count > reading->first)
        free((void *)reading->coverage->sites[--reading->coverage->count].site.view.inlined);
    reading->module->sites = reading->module->ran = 0;
}

static void add_sites(struct reading *reading, const struct table *table) {
    reading->module->has_table = true;
    for (size_t i = 0; i < table->count; i++)
        if (table->sites[i].kind != ALLOCSITE_FREE)
            add_site(reading, table, &table->sites[i]);
    judge(reading);
    if (reading->module->build_id || has_all_rows(reading)) {
        drop_spare(reading);
        return;
    }
    drop_sites(reading);
    unknown(reading, "has changed since the program ran: it has not all of the sites that did");
}

static void read_elf(struct reading *reading, const struct elf_file *elf) {
    struct module_table table;
    struct reason why;
    if (!module_has_table(elf)) {
        if (!has_all_rows(reading))
            unknown(reading, "has changed since the program ran: it has no site table");
    } else if (!module_table_read(&table, elf, &why)) {
        unknown(reading, why.text);
    } else {
        add_sites(reading, &table.table);
        module_table_free(&table);
    }
}

static void read_module(struct coverage *coverage, struct covered_module *module,
                        const struct coverage_rows *rows) {
    struct reading reading = {coverage, module, rows, coverage->count};
    static const struct module_search local = {.stays_local = true};
    struct module_files files;
    struct reason why;
    module_files_open(&files, module->path, module->build_id, &local);
    if (files.module.is_open)
        read_elf(&reading, &files.module.elf);
    else
        unknown(&reading, files.why.text);
    if (!module_files_close(&files, &why) && !module->unknown)
        unknown(&reading, why.text);
}

/* ---- All modules, and the sums over their sites. */

/* Orders paths as they are shown, with unknown paths last. */
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
    sort_list(coverage->sites, coverage->count, sizeof *coverage->sites, by_place);
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
        read_module(coverage, module, rows);
    }
}

void coverage_read(struct coverage *coverage, const struct module_list *modules,
                   const struct report *report) {
    struct coverage_rows rows;
    open_rows(&rows, report);
    read_modules(coverage, modules, &rows);
    close_rows(&rows);
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
