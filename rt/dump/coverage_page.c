/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the lists of unused sites and of files have in common. */
#include "coverage_page.h"
#include "report_head_json.h"

#include "../lib/report_summary.h"

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
