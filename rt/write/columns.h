/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The columns of the table for people. */
#ifndef ALLOCSITE_WRITE_COLUMNS_H
#define ALLOCSITE_WRITE_COLUMNS_H

#include "model/report.h"
#include "names/units.h"
#include "write/lines.h"

enum column {
    COLUMN_BYTES,
    COLUMN_BYTES_SHARE,
    COLUMN_ALLOCS,
    COLUMN_ALLOCS_SHARE,
    COLUMN_REALLOCS,
    COLUMN_MOVED,
    COLUMN_TEMPORARY,
    COLUMN_REPEATS,
    COLUMN_FAILED,
    COLUMN_LOST,
    COLUMN_LIVE,
    COLUMN_LIVE_SHARE,
    COLUMN_LIVE_BLOCKS,
    COLUMN_PEAK,
    COLUMN_MOST_LIVE,
    COLUMN_AVERAGE,
    COLUMNS
};

/* Writes which columns this report has, in their order, and returns how many. */
size_t columns_of(const struct report *, int columns[COLUMNS]);

/* Leaves room for the site on a page that is narrow; what rows are sorted by stays. The grid's columns may
 * have others behind those of this list. */
void columns_narrow(struct grid *, const struct report_limits *);

const char *column_name(enum column);

/* The text of a site in the column: one of the report, its totals or its hidden ones. */
void column_cell(char text[UNITS_SIZE], const struct report *, const struct report_site *, enum column);

#endif
