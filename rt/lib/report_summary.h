/* What the formats for people have in common: the lines above the table and the cells of a row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_REPORT_SUMMARY_H
#define ALLOCSITE_REPORT_SUMMARY_H

#include "report.h"
#include "report_units.h"

enum column {
    COLUMN_BYTES,
    COLUMN_BYTES_SHARE,
    COLUMN_ALLOCS,
    COLUMN_ALLOCS_SHARE,
    COLUMN_REALLOCS,
    COLUMN_FAILED,
    COLUMN_AVERAGE,
    COLUMNS
};

extern const char *const column_names[COLUMNS] __attribute__((visibility("hidden")));

/* Whether the column says anything in this report. */
bool column_is_shown(const struct report *, enum column);

void column_cell(char text[UNITS_SIZE], const struct report *, const struct counters *, enum column);

/* "1,234 allocations of 5.6 MiB, 7 reallocations of 8.0 KiB, 0 failed" */
void summary_totals(struct out *, const struct counters *);

/* "99.8% of 1,241 calls (97.1% of 5.6 MiB) at 132 sites; unsited: 3 modules" */
void summary_sited(struct out *, const struct report *);

/* "17 more sites" for the rows that are not shown. */
void summary_hidden(struct out *, const struct report *);

#endif
