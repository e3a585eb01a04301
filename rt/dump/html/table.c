/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The largest sites, for who reads without JavaScript or prints. */
#include "dump/html/html.h"

#include "dump/view/measure.h"
#include "names/units.h"
#include "write/page.h"

enum { ROWS = 50 };

static void put_number(struct out *out, uint64_t value, enum measure measure) {
    char text[UNITS_SIZE];
    out_text(out, "<td><data value=\"");
    out_u64(out, value);
    out_text(out, "\">");
    measure_show(text, value, measure);
    out_text(out, text);
    out_text(out, "</data></td>");
}

static bool has(const struct report *report, enum measure measure) {
    if (measure == MEASURE_LOST)
        return report->reach;
    return measure < MEASURE_LIVE || (measure < MEASURE_SORTS && !report->is_unowned);
}

/* "src/a.c:12:7 main malloc of char" */
static void put_place(struct out *out, const struct report *report, const struct report_site *site) {
    char text[4096];
    struct out memory;
    const struct page page = {.out = &memory, .report = report};
    out_open_memory(&memory, text, sizeof text);
    page_site_in(&page, site);
    out_text(out, "<td class=\"place\">");
    html_text(out, text);
    out_text(out, "</td></tr>\n");
}

static void put_row(struct out *out, const struct report *report, const struct report_site *site) {
    out_text(out, "<tr>");
    for (enum measure measure = 0; measure < MEASURES; measure++)
        if (has(report, measure))
            put_number(out, measure_of(site, measure), measure);
    put_place(out, report, site);
}

void html_table(struct out *out, const struct report *report) {
    size_t rows = report->shown < ROWS ? report->shown : ROWS;
    out_text(out, "<section id=\"plain\">\n<h2>Sites: the first ");
    out_u64(out, rows);
    out_text(out, " of ");
    out_u64(out, report->counted + report->left_out);
    out_text(out, "</h2>\n<table>\n<thead><tr>");
    for (enum measure measure = 0; measure < MEASURES; measure++)
        if (has(report, measure)) {
            out_text(out, "<th scope=\"col\">");
            out_text(out, measure == MEASURE_ALLOCS ? "calls" : measure_name(measure)); /* both kinds */
            out_text(out, "</th>");
        }
    out_text(out, "<th scope=\"col\">site</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows; i++)
        put_row(out, report, report->sites[i]);
    out_text(out, "</tbody>\n</table>\n</section>\n");
}
