/* The report for the terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "place.h"
#include "report_names.h"
#include "report_summary.h"

#include <string.h>

static void pad(struct out *out, size_t width, size_t used) {
    for (; used < width; used++)
        out_char(out, ' ');
}

static void put_right(struct out *out, const char *text, size_t width) {
    pad(out, width, strlen(text));
    out_text(out, text);
}

static void widen(size_t widths[COLUMNS], const struct report *report, const struct counters *counters) {
    char text[UNITS_SIZE];
    for (int column = 0; column < COLUMNS; column++) {
        column_cell(text, report, counters, (enum column)column);
        if (strlen(text) > widths[column])
            widths[column] = strlen(text);
    }
}

/* Returns the columns that a row takes before its site. */
static size_t measure(size_t widths[COLUMNS], const struct report *report) {
    size_t total = 0;
    for (int column = 0; column < COLUMNS; column++)
        widths[column] = strlen(column_names[column]);
    for (size_t i = 0; i < report->shown; i++)
        widen(widths, report, &report->sites[i]->counters);
    widen(widths, report, &report->hidden);
    for (int column = 0; column < COLUMNS; column++)
        total += column_is_shown(report, (enum column)column) ? widths[column] + 2 : 0;
    return total;
}

static void put_head(struct out *out, const struct report *report, const size_t widths[COLUMNS]) {
    for (int column = 0; column < COLUMNS; column++)
        if (column_is_shown(report, (enum column)column))
            put_right(out, column_names[column], widths[column] + (column ? 2 : 0));
    out_text(out, "  site\n");
}

static void put_cells(struct out *out, const struct report *report, const size_t widths[COLUMNS],
                      const struct counters *counters) {
    char text[UNITS_SIZE];
    for (int column = 0; column < COLUMNS; column++) {
        if (!column_is_shown(report, (enum column)column))
            continue;
        column_cell(text, report, counters, (enum column)column);
        put_right(out, text, widths[column] + (column ? 2 : 0));
    }
    out_text(out, "  ");
}

static void put_site(struct out *out, const struct report *report, const struct site_view *view,
                     size_t indent) {
    char function[NAME_SIZE];
    name_function(function, view->at.function);
    out_text(out, function);
    out_char(out, ' ');
    place_write(out, &view->at, report->directory);
    out_char(out, ' ');
    out_text(out, view->callee ? view->callee : "?");
    out_char(out, '\n');
    for (size_t i = 0; i < view->inlined_count; i++) {
        pad(out, indent + 2, 0);
        out_text(out, "in ");
        name_function(function, view->inlined[i].function);
        out_text(out, function);
        out_char(out, ' ');
        place_write(out, &view->inlined[i], report->directory);
        out_char(out, '\n');
    }
}

static void put_rows(struct out *out, const struct report *report) {
    size_t widths[COLUMNS];
    size_t indent = measure(widths, report);
    put_head(out, report, widths);
    for (size_t i = 0; i < report->shown; i++) {
        const struct report_site *site = report->sites[i];
        put_cells(out, report, widths, &site->counters);
        if (site->view.sited) {
            put_site(out, report, &site->view, indent);
            continue;
        }
        out_text(out, "unsited in ");
        place_write_path(out, site->view.module, report->directory);
        out_char(out, '\n');
    }
    if (report->shown == report->site_count)
        return;
    put_cells(out, report, widths, &report->hidden);
    summary_hidden(out, report);
    out_char(out, '\n');
}

void report_text(struct out *out, const struct report *report) {
    out_text(out, "allocsite: ");
    out_text(out, report->program);
    out_text(out, ", pid ");
    out_u64(out, report->pid);
    out_text(out, "\ntotal: ");
    summary_totals(out, &report->totals);
    out_text(out, "\nsited: ");
    summary_sited(out, report);
    out_char(out, '\n');
    for (size_t i = 0; i < report->reason_count; i++) {
        out_text(out, "exact: no, ");
        out_text(out, report->reasons[i]);
        out_char(out, '\n');
    }
    if (report->site_count)
        put_rows(out, report);
}
