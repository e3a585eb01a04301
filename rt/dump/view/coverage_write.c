/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lists of unused sites and of files. */
#include "dump/view/views.h"

#include "dump/base/files.h"
#include "dump/table/table.h"
#include "names/names.h"
#include "write/formats.h"
#include "write/lines.h"
#include "write/summary.h"

#include <limits.h>
#include <string.h>

/* ---- Parts common to both lists. */

static void put_program(const struct page *page) {
    page_begin_line(page, "allocsite: ", "**allocsite** ");
    page_code(page, page->report->program);
    summary_processes(page);
    page_end_line(page);
}

static void put_counts(const struct page *page, const struct coverage *coverage) {
    page_begin_line(page, "sites: ", "\nSites: ");
    out_print(page->out, "%s of %s%s (%s%s", COUNT_TEXT(coverage->ran), COUNT_TEXT(coverage->count),
              coverage->count == 1 ? " has run" : " have run", SHARE_TEXT(coverage->ran, coverage->count),
              page->report->finished ? ")" : "), and the program has not ended by itself");
    page_end_line(page);
}

static void put_doubts(const struct page *page, const struct coverage *coverage) {
    size_t unknown = 0;
    for (size_t i = 0; i < coverage->module_count; i++)
        unknown += coverage->modules[i].unknown != NULL;
    if (unknown) {
        page_begin_line(page, "modules: ", "\nModules: ");
        page_count(page, unknown, " has sites that are not known", " have sites that are not known");
        page_end_line(page);
    }
}

static void put_head(const struct page *page, const struct coverage *coverage) {
    put_program(page);
    put_counts(page, coverage);
    put_doubts(page, coverage);
    for (size_t i = 0; i < page->report->reason_count; i++) {
        page_begin_line(page, "exact: no, ", "\nNot exact: ");
        summary_reason(page, i);
        page_end_line(page);
    }
    page_begin_line(page, "", "\n");
}

static void module_json(struct json *json, const struct covered_module *module) {
    json_open(json, NULL, '{');
    json_text(json, "module", module->path);
    json_text(json, "build_id", module->build_id);
    json_number(json, "sites", module->sites);
    json_number(json, "ran", module->ran);
    json_text(json, "unknown", module->unknown);
    json_close(json, '}');
}

static struct json begin_json(struct out *out, const struct coverage *coverage, const struct report *report,
                              const char *format) {
    struct json json = json_begin(out, format, 1);
    json_head(&json, report);
    json_number(&json, "total", coverage->count);
    json_number(&json, "ran", coverage->ran);
    json_open(&json, "modules", '[');
    for (size_t i = 0; i < coverage->module_count; i++)
        if (coverage->modules[i].has_table || coverage->modules[i].unknown)
            module_json(&json, &coverage->modules[i]);
    json_close(&json, ']');
    return json;
}

/* Writes 99.9 rather than 100.0 for a part that is smaller than the whole. */
static void put_percent(struct out *out, size_t part, size_t whole) {
    size_t tenths = whole ? (part * 2000 + whole) / (2 * whole) : 0;
    if (tenths == 1000 && part != whole)
        tenths--;
    out_print(out, "%lu.%lu", tenths / 10, tenths % 10);
}

/* ---- Numbers of sites that have run, by file. */

/* Writes the number of sites, the number that ran, or their share. */
static void cell(char text[GRID_CELL], const void *context, const void *row, int column) {
    static const char *const names[] = {"sites", "ran", "share"};
    const struct covered_file *file = row;
    (void)context;
    if (!file)
        strcpy(text, names[column]);
    else if (column == 2)
        units_share(text, file->ran, file->sites);
    else
        units_count(text, column ? file->ran : file->sites);
}

static void put_file(const struct page *page, const char *path) {
    page_path(page, path);
}

/* The total is the widest number, so it alone is measured. */
static void put_files(const struct page *page, const struct coverage *coverage) {
    const struct covered_file whole = {.sites = coverage->count, .ran = coverage->ran};
    struct grid grid = {.page = page, .cell = cell, .widths = {6}};
    grid_number_columns(&grid, 3);
    grid_measure(&grid, &whole);
    grid.widths[1] = grid.widths[2] = grid.widths[0];
    put_head(page, coverage);
    grid_head(&grid, "file");
    for (size_t i = 0; i < coverage->file_count; i++) {
        grid_row(&grid, &coverage->files[i]);
        put_file(page, coverage->files[i].path);
        grid_end(page);
    }
    grid_row(&grid, &whole);
    out_text(page->out, "total");
    grid_end(page);
}

static void coverage_json(struct out *out, const struct coverage *coverage, const struct report *report) {
    struct json json = begin_json(out, coverage, report, "allocsite-coverage");
    json_open_line(&json, "files", '[');
    for (size_t i = 0; i < coverage->file_count; i++) {
        const struct covered_file *file = &coverage->files[i];
        json_open_line(&json, NULL, '{');
        json_text(&json, "file", file->path);
        json_number(&json, "sites", file->sites);
        json_number(&json, "ran", file->ran);
        json_key(&json, "percent");
        put_percent(out, file->ran, file->sites);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static void coverage_csv(struct out *out, const struct coverage *coverage) {
    struct values values = values_csv(out);
    out_text(out, "file,sites,ran,percent");
    values_end(&values);
    for (size_t i = 0; i < coverage->file_count; i++) {
        const struct covered_file *file = &coverage->files[i];
        value_text(&values, file->path);
        value_number(&values, file->sites);
        value_number(&values, file->ran);
        value_begin(&values);
        put_percent(out, file->ran, file->sites);
        values_end(&values);
    }
}

/* ---- The sites that have not run. */

enum { CHAIN_INDENT = 4 };

static bool has_modules(const struct coverage *coverage) {
    size_t with_sites = 0;
    for (size_t i = 0; i < coverage->module_count; i++)
        with_sites += coverage->modules[i].sites != 0;
    return with_sites > 1;
}

/* has_module: writes the module's name. */
static void put_site(const struct page *page, const struct covered_site *site, bool has_module) {
    page_site(page, &site->site);
    if (has_module) {
        out_text(page->out, "  of ");
        page_path(page, site->site.view.module);
    }
    page_chain(page, &site->site);
}

static void put_unused(const struct page *page, const struct coverage *coverage) {
    struct page row = *page;
    row.indent = CHAIN_INDENT;
    put_head(page, coverage);
    out_text(page->out, page->is_markdown ? "| site that never ran | module |\n|---|---|\n" : "");
    for (size_t i = 0; i < coverage->count; i++) {
        const struct covered_site *site = &coverage->sites[i];
        if (site->ran)
            continue;
        out_text(page->out, page->is_markdown ? "| " : "");
        put_site(&row, site, !page->is_markdown && has_modules(coverage));
        out_text(page->out, page->is_markdown ? " | " : "");
        if (page->is_markdown)
            page_path(page, site->site.view.module);
        grid_end(page);
    }
}

static void put_json(struct json *json, const struct covered_site *site) {
    json_open_line(json, NULL, '{');
    json_site(json, &site->site.view);
    json_text(json, "kind", table_kind_name(site->kind));
    json_close(json, '}');
}

static void unused_json(struct out *out, const struct coverage *coverage, const struct report *report) {
    struct json json = begin_json(out, coverage, report, "allocsite-unused");
    json_open_line(&json, "sites", '[');
    for (size_t i = 0; i < coverage->count; i++)
        if (!coverage->sites[i].ran)
            put_json(&json, &coverage->sites[i]);
    json_close(&json, ']');
    json_end(&json);
}

static void unused_csv(struct out *out, const struct coverage *coverage) {
    struct values values = values_csv(out);
    out_text(out, "file,line,column,function,callee,type,kind,module,id");
    values_end(&values);
    for (size_t i = 0; i < coverage->count; i++) {
        const struct site_view *view = &coverage->sites[i].site.view;
        if (coverage->sites[i].ran)
            continue;
        value_text(&values, view->at.file);
        value_number(&values, view->at.line);
        value_number(&values, view->at.column);
        value_text(&values, view->at.function);
        value_text(&values, view->callee);
        value_text(&values, view->type);
        value_text(&values, table_kind_name(coverage->sites[i].kind));
        value_text(&values, view->module);
        value_id(&values, view->id);
        values_end(&values);
    }
}

struct coverage_writers {
    void (*people)(const struct page *, const struct coverage *);
    void (*json)(struct out *, const struct coverage *, const struct report *);
    void (*csv)(struct out *, const struct coverage *);
};

static int show(struct report *report, struct showing *showing, const struct coverage_writers *writers) {
    struct coverage coverage = {.count = 0};
    enum report_format format = showing->options.format;
    const struct page page = {
        .out = standard_out(), .report = report, .is_markdown = format == FORMAT_MARKDOWN};
    view_prepare_all(report, showing);
    coverage_read(&coverage, &showing->modules, report);
    if (format == FORMAT_JSON)
        writers->json(page.out, &coverage, report);
    else if (format == FORMAT_CSV)
        writers->csv(page.out, &coverage);
    else
        writers->people(&page, &coverage);
    int status = standard_out_end() | coverage_check(&coverage);
    coverage_free(&coverage);
    return status;
}

int show_coverage(const char *path, struct report *report, struct showing *showing) {
    (void)path;
    return show(report, showing, &(struct coverage_writers){put_files, coverage_json, coverage_csv});
}

int show_unused(const char *path, struct report *report, struct showing *showing) {
    (void)path;
    return show(report, showing, &(struct coverage_writers){put_unused, unused_json, unused_csv});
}
