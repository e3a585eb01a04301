/* What the formats for people have in common.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "report_summary.h"
#include "report_names.h"

#include <string.h>

const char *const column_names[COLUMNS] = {
    [COLUMN_BYTES] = "bytes",        [COLUMN_BYTES_SHARE] = "share", [COLUMN_ALLOCS] = "allocs",
    [COLUMN_ALLOCS_SHARE] = "share", [COLUMN_REALLOCS] = "reallocs", [COLUMN_FAILED] = "failed",
    [COLUMN_AVERAGE] = "average",
};

bool column_is_shown(const struct report *report, enum column column) {
    if (column == COLUMN_REALLOCS)
        return report->totals.reallocs;
    return column != COLUMN_FAILED || report->totals.failed;
}

static void average(char *text, const struct counters *counters) {
    uint64_t calls = counters_calls(counters);
    if (calls)
        units_size(text, (counters_bytes(counters) + calls / 2) / calls);
    else
        strcpy(text, "-");
}

void column_cell(char text[UNITS_SIZE], const struct report *report, const struct counters *counters,
                 enum column column) {
    switch (column) {
    case COLUMN_BYTES:
        units_size(text, counters_bytes(counters));
        break;
    case COLUMN_BYTES_SHARE:
        units_share(text, counters_bytes(counters), counters_bytes(&report->totals));
        break;
    case COLUMN_ALLOCS:
        units_count(text, counters->allocs);
        break;
    case COLUMN_ALLOCS_SHARE:
        units_share(text, counters->allocs, report->totals.allocs);
        break;
    case COLUMN_REALLOCS:
        units_count(text, counters->reallocs);
        break;
    case COLUMN_FAILED:
        units_count(text, counters->failed);
        break;
    default:
        average(text, counters);
    }
}

static void put_count(struct out *out, uint64_t count, const char *one, const char *many) {
    char text[UNITS_SIZE];
    units_count(text, count);
    out_text(out, text);
    out_text(out, count == 1 ? one : many);
}

static void put_size(struct out *out, uint64_t bytes) {
    char text[UNITS_SIZE];
    units_size(text, bytes);
    out_text(out, text);
}

static void put_share(struct out *out, uint64_t part, uint64_t whole) {
    char text[UNITS_SIZE];
    units_share(text, part, whole);
    out_text(out, text);
}

void summary_totals(struct out *out, const struct counters *totals) {
    put_count(out, totals->allocs, " allocation of ", " allocations of ");
    put_size(out, totals->alloc_bytes);
    out_text(out, ", ");
    put_count(out, totals->reallocs, " reallocation of ", " reallocations of ");
    put_size(out, totals->realloc_bytes);
    out_text(out, ", ");
    put_count(out, totals->failed, " failed", " failed");
}

void summary_sited(struct out *out, const struct report *report) {
    uint64_t calls = counters_calls(&report->totals), bytes = counters_bytes(&report->totals);
    put_share(out, counters_calls(&report->sited), calls);
    out_text(out, " of ");
    put_count(out, calls, " call (", " calls (");
    put_share(out, counters_bytes(&report->sited), bytes);
    out_text(out, " of ");
    put_size(out, bytes);
    out_text(out, ") at ");
    put_count(out, report->sited_count, " site; unsited: ", " sites; unsited: ");
    put_count(out, report->module_count, " module", " modules");
}

void summary_hidden(struct out *out, const struct report *report) {
    put_count(out, report->site_count - report->shown, " more site", " more sites");
}
