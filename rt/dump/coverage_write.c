/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many sites of each file have run. */
#include "coverage_page.h"
#include "csv.h"
#include "report_head_json.h"

#include "../lib/place.h"
#include "../lib/report_units.h"

#include <string.h>

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
    writers[format](out, coverage, report);
}
