/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the lists of unused sites and of files have in common. */
#include "dump/view/coverage_write.h"

#include "base/covers.h"
#include "model/site_json.h"
#include "write/csv.h"
#include "write/json.h"
#include "write/names.h"
#include "write/summary.h"

#include <string.h>

static void begin_line(const struct page *page, const char *text, const char *markdown) {
    out_text(page->out, page->is_markdown ? markdown : text);
}

static void end_line(const struct page *page) {
    out_text(page->out, page->is_markdown ? ".\n" : "\n");
}

static void put_program(const struct page *page) {
    begin_line(page, "allocsite: ", "**allocsite** ");
    page_code(page, page->report->program);
    summary_processes(page);
    end_line(page);
}

static void put_counts(const struct page *page, const struct coverage *coverage) {
    begin_line(page, "sites: ", "\nSites: ");
    page_count(page, coverage->ran, " of ", " of ");
    page_count(page, coverage->count, " has run", " have run");
    out_text(page->out, " (");
    page_share(page, coverage->ran, coverage->count);
    out_text(page->out, page->report->finished ? ")" : "), and the program has not ended by itself");
    end_line(page);
}

static void put_doubts(const struct page *page, const struct coverage *coverage) {
    size_t unknown = 0;
    for (size_t i = 0; i < coverage->module_count; i++)
        unknown += coverage->modules[i].unknown != NULL;
    if (unknown) {
        begin_line(page, "modules: ", "\nModules: ");
        page_count(page, unknown, " has sites that are not known", " have sites that are not known");
        end_line(page);
    }
    if (page->report->left_out) {
        begin_line(page, "left out: ", "\nLeft out: ");
        page_count(page, page->report->left_out, " site that ran", " sites that ran");
        out_text(page->out, ", which the report does not name");
        end_line(page);
    }
}

void coverage_head(const struct page *page, const struct coverage *coverage) {
    put_program(page);
    put_counts(page, coverage);
    put_doubts(page, coverage);
    for (size_t i = 0; i < page->report->reason_count; i++) {
        begin_line(page, "exact: no, ", "\nNot exact: ");
        summary_reason(page, i);
        end_line(page);
    }
    begin_line(page, "", "\n");
}

static void module_json(struct out *out, const struct covered_module *module) {
    out_text(out, "{\"module\":");
    out_json_string(out, module->path);
    json_text(out, "build_id", module->build_id);
    json_number(out, "sites", module->sites);
    json_number(out, "ran", module->ran);
    json_text(out, "unknown", module->unknown);
    out_char(out, '}');
}

void coverage_head_json(struct out *out, const struct coverage *coverage, const struct report *report,
                        const char *format) {
    const char *separator = "";
    out_text(out, "{\"format\":");
    out_json_string(out, format);
    json_number(out, "version", 1);
    report_head_json(out, report);
    json_number(out, "sites_left_out", report->left_out);
    json_number(out, "total", coverage->count);
    json_number(out, "ran", coverage->ran);
    out_text(out, ",\"modules\":[");
    for (size_t i = 0; i < coverage->module_count; i++) {
        const struct covered_module *module = &coverage->modules[i];
        if (!module->has_table && !module->unknown)
            continue;
        out_text(out, separator);
        module_json(out, module);
        separator = ",";
    }
    out_char(out, ']');
}

/* What is not all is never 100.0. */
void coverage_percent(struct out *out, size_t part, size_t whole) {
    size_t tenths = whole ? (part * 2000 + whole) / (2 * whole) : 0;
    if (tenths == 1000 && part != whole)
        tenths--;
    out_u64(out, tenths / 10);
    out_char(out, '.');
    out_u64(out, tenths % 10);
}

/* ---- How many sites of each file have run. */

enum { NUMBERS = 3, WIDTH_MIN = 6 };

/* Sites, those that ran, and their share. */
static void cells(char text[NUMBERS][UNITS_SIZE], const struct covered_file *file) {
    units_count(text[0], file->sites);
    units_count(text[1], file->ran);
    units_share(text[2], file->ran, file->sites);
}

static struct covered_file total(const struct coverage *coverage) {
    return (struct covered_file){.sites = coverage->count, .ran = coverage->ran};
}

/* No number is wider than that of the total, nor than its column's name by much. */
static void put_text(struct out *out, const char cell[NUMBERS][UNITS_SIZE], size_t width) {
    for (int i = 0; i < NUMBERS; i++) {
        for (size_t used = strlen(cell[i]); used < width; used++)
            out_char(out, ' ');
        out_text(out, cell[i]);
        out_text(out, "  ");
    }
}

static void put_file(const struct page *page, const char *path) {
    const char *quote = page->is_markdown ? "`" : "";
    out_text(page->out, quote);
    place_write_path(page->out, path, page->report->directory);
    out_text(page->out, quote);
}

static void coverage_text(struct out *out, const struct coverage *coverage, const struct report *report) {
    const struct page page = {.out = out, .report = report};
    const struct covered_file whole = total(coverage);
    char text[NUMBERS][UNITS_SIZE];
    cells(text, &whole);
    size_t width = strlen(text[0]) > WIDTH_MIN ? strlen(text[0]) : WIDTH_MIN;
    coverage_head(&page, coverage);
    put_text(out, (const char[NUMBERS][UNITS_SIZE]){"sites", "ran", "share"}, width);
    out_text(out, "file\n");
    for (size_t i = 0; i < coverage->file_count; i++) {
        cells(text, &coverage->files[i]);
        put_text(out, text, width);
        put_file(&page, coverage->files[i].path);
        out_char(out, '\n');
    }
    cells(text, &whole);
    put_text(out, text, width);
    out_text(out, "total\n");
}

static void put_markdown(struct out *out, const struct covered_file *file) {
    char text[NUMBERS][UNITS_SIZE];
    cells(text, file);
    for (int i = 0; i < NUMBERS; i++) {
        out_text(out, "| ");
        out_text(out, text[i]);
        out_char(out, ' ');
    }
    out_text(out, "| ");
}

static void coverage_markdown(struct out *out, const struct coverage *coverage, const struct report *report) {
    const struct page page = {.out = out, .report = report, .is_markdown = true};
    const struct covered_file whole = total(coverage);
    coverage_head(&page, coverage);
    out_text(out, "| sites | ran | share | file |\n|---:|---:|---:|---|\n");
    for (size_t i = 0; i < coverage->file_count; i++) {
        put_markdown(out, &coverage->files[i]);
        put_file(&page, coverage->files[i].path);
        out_text(out, " |\n");
    }
    put_markdown(out, &whole);
    out_text(out, "total |\n");
}

static void coverage_json(struct out *out, const struct coverage *coverage, const struct report *report) {
    coverage_head_json(out, coverage, report, "allocsite-coverage");
    out_text(out, ",\n\"files\":[");
    for (size_t i = 0; i < coverage->file_count; i++) {
        const struct covered_file *file = &coverage->files[i];
        out_text(out, i ? ",\n{\"file\":" : "\n{\"file\":");
        out_json_string(out, file->path);
        json_number(out, "sites", file->sites);
        json_number(out, "ran", file->ran);
        out_text(out, ",\"percent\":");
        coverage_percent(out, file->ran, file->sites);
        out_char(out, '}');
    }
    out_text(out, "]}\n");
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
