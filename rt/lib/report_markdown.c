/* The report as a Markdown table, for issues and pull requests.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "place.h"
#include "report_names.h"
#include "report_summary.h"

/* Code in a table cell: a bar would end the cell, a backquote the code. */
static void put_code(struct out *out, const char *text) {
    out_char(out, '`');
    for (; *text; text++) {
        if (*text == '|')
            out_char(out, '\\');
        out_char(out, *text == '`' ? '\'' : *text);
    }
    out_char(out, '`');
}

static void put_place(struct out *out, const struct report *report, const struct place *place) {
    char function[NAME_SIZE];
    name_function(function, place->function);
    put_code(out, function);
    out_char(out, ' ');
    place_write(out, place, report->directory);
}

static void put_site(struct out *out, const struct report *report, const struct site_view *view) {
    if (!view->sited) {
        out_text(out, "unsited in ");
        out_char(out, '`');
        place_write_path(out, view->module, report->directory);
        out_char(out, '`');
        return;
    }
    put_place(out, report, &view->at);
    out_char(out, ' ');
    put_code(out, view->callee ? view->callee : "?");
    for (size_t i = 0; i < view->inlined_count; i++) {
        out_text(out, "<br>in ");
        put_place(out, report, &view->inlined[i]);
    }
}

static void put_cells(struct out *out, const struct report *report, const struct counters *counters) {
    char text[UNITS_SIZE];
    for (int column = 0; column < COLUMNS; column++)
        if (column_is_shown(report, (enum column)column)) {
            column_cell(text, report, counters, (enum column)column);
            out_text(out, "| ");
            out_text(out, text);
            out_char(out, ' ');
        }
    out_text(out, "| ");
}

static void put_head(struct out *out, const struct report *report) {
    for (int column = 0; column < COLUMNS; column++)
        if (column_is_shown(report, (enum column)column)) {
            out_text(out, "| ");
            out_text(out, column_names[column]);
            out_char(out, ' ');
        }
    out_text(out, "| site |\n");
    for (int column = 0; column < COLUMNS; column++)
        out_text(out, column_is_shown(report, (enum column)column) ? "|---:" : "");
    out_text(out, "|---|\n");
}

void report_markdown(struct out *out, const struct report *report) {
    out_text(out, "**allocsite** ");
    put_code(out, report->program);
    out_text(out, ": ");
    summary_totals(out, &report->totals);
    out_text(out, ". Sited: ");
    summary_sited(out, report);
    out_text(out, ".\n");
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, "\nNot exact: ");
        out_text(out, report->reasons[i]);
        out_text(out, ".\n");
    }
    out_char(out, '\n');
    put_head(out, report);
    for (size_t i = 0; i < report->shown; i++) {
        put_cells(out, report, &report->sites[i]->counters);
        put_site(out, report, &report->sites[i]->view);
        out_text(out, " |\n");
    }
    if (report->shown == report->site_count)
        return;
    put_cells(out, report, &report->hidden);
    summary_hidden(out, report);
    out_text(out, " |\n");
}
