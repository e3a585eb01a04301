/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts that the lists of unused sites and of files have in common. */
#include "dump/view/coverage.h"

#include "base/covers.h"
#include "names/units.h"
#include "write/formats.h"
#include "write/grid.h"
#include "write/json.h"
#include "write/summary.h"

#include <string.h>

static void put_program(const struct page *page) {
    page_begin_line(page, "allocsite: ", "**allocsite** ");
    page_code(page, page->report->program);
    summary_processes(page);
    page_end_line(page);
}

static void put_counts(const struct page *page, const struct coverage *coverage) {
    page_begin_line(page, "sites: ", "\nSites: ");
    page_count(page, coverage->ran, " of ", " of ");
    page_count(page, coverage->count, " has run", " have run");
    out_text(page->out, " (");
    page_share(page, coverage->ran, coverage->count);
    out_text(page->out, page->report->finished ? ")" : "), and the program has not ended by itself");
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
    if (page->report->left_out) {
        page_begin_line(page, "left out: ", "\nLeft out: ");
        page_count(page, page->report->left_out, " site that ran", " sites that ran");
        out_text(page->out, ", which the report does not name");
        page_end_line(page);
    }
}

void coverage_head(const struct page *page, const struct coverage *coverage) {
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

struct json coverage_begin_json(struct out *out, const struct coverage *coverage, const struct report *report,
                                const char *format) {
    struct json json = json_begin(out, format, 1);
    json_head(&json, report);
    json_number(&json, "sites_left_out", report->left_out);
    json_number(&json, "total", coverage->count);
    json_number(&json, "ran", coverage->ran);
    json_open(&json, "modules", '[');
    for (size_t i = 0; i < coverage->module_count; i++)
        if (coverage->modules[i].has_table || coverage->modules[i].unknown)
            module_json(&json, &coverage->modules[i]);
    json_close(&json, ']');
    return json;
}

/* A part that is not all is never 100.0. */
void coverage_percent(struct out *out, size_t part, size_t whole) {
    size_t tenths = whole ? (part * 2000 + whole) / (2 * whole) : 0;
    if (tenths == 1000 && part != whole)
        tenths--;
    out_u64(out, tenths / 10);
    out_char(out, '.');
    out_u64(out, tenths % 10);
}

/* ---- How many sites of each file have run. */

/* Sites, those that ran, and their share. */
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

/* No number is wider than that of the total, nor than its column's name by much. */
static void put_files(const struct page *page, const struct coverage *coverage) {
    const struct covered_file whole = {.sites = coverage->count, .ran = coverage->ran};
    struct grid grid = {.page = page, .cell = cell, .widths = {6}};
    grid_number_columns(&grid, 3);
    grid_measure(&grid, &whole);
    grid.widths[1] = grid.widths[2] = grid.widths[0];
    coverage_head(page, coverage);
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

static void coverage_text(struct out *out, const struct coverage *coverage, const struct report *report) {
    put_files(&(struct page){.out = out, .report = report}, coverage);
}

static void coverage_markdown(struct out *out, const struct coverage *coverage, const struct report *report) {
    put_files(&(struct page){.out = out, .report = report, .is_markdown = true}, coverage);
}

static void coverage_json(struct out *out, const struct coverage *coverage, const struct report *report) {
    struct json json = coverage_begin_json(out, coverage, report, "allocsite-coverage");
    json_line(&json);
    json_open(&json, "files", '[');
    for (size_t i = 0; i < coverage->file_count; i++) {
        const struct covered_file *file = &coverage->files[i];
        json_line(&json);
        json_open(&json, NULL, '{');
        json_text(&json, "file", file->path);
        json_number(&json, "sites", file->sites);
        json_number(&json, "ran", file->ran);
        json_key(&json, "percent");
        coverage_percent(out, file->ran, file->sites);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static void coverage_csv(struct out *out, const struct coverage *coverage, const struct report *report) {
    (void)report;
    out_text(out, "file,sites,ran,percent\r\n");
    for (size_t i = 0; i < coverage->file_count; i++) {
        const struct covered_file *file = &coverage->files[i];
        csv_text(out, file->path);
        out_char(out, ',');
        out_u64(out, file->sites);
        out_char(out, ',');
        out_u64(out, file->ran);
        out_char(out, ',');
        coverage_percent(out, file->ran, file->sites);
        out_text(out, "\r\n");
    }
}

void coverage_write(struct out *out, const struct coverage *coverage, const struct report *report,
                    enum report_format format) {
    static void (*const writers[])(struct out *, const struct coverage *, const struct report *) = {
        [FORMAT_TEXT] = coverage_text,
        [FORMAT_JSON] = coverage_json,
        [FORMAT_CSV] = coverage_csv,
        [FORMAT_MARKDOWN] = coverage_markdown,
    };
    COVERS(writers, FORMATS);
    writers[format](out, coverage, report);
}
