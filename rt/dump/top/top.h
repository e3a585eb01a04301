/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shows the allocations of a running program, refreshed repeatedly.
 *
 * Each refresh reads the whole file in which the program counts. The program is not stopped or contacted and
 * does not notice. Rates are counts since the previous refresh. */
#ifndef ALLOCSITE_DUMP_TOP_TOP_H
#define ALLOCSITE_DUMP_TOP_TOP_H

#include "base/out.h"
#include "dump/join/join.h"
#include "dump/line/symbolize.h"
#include "dump/load/source.h"
#include "dump/view/measure.h"
#include "dump/view/tree.h"

#include <time.h>

/* One reading of the profile. */
struct snapshot {
    struct report_source source;
    bool is_joined; /* the source has only the report; its data is in: */
    struct joined joined;
    const struct report *report; /* the source's report, or one by stack */
    struct by_stack by_stack;
    struct report_site **sites; /* sites with counters, ordered by identity */
    struct timespec time;
};

/* Counts per second. */
struct rate {
    uint64_t allocs, bytes;
};

struct top_row {
    const struct report_site *site; /* with a base, one of `since` */
    struct rate rate;
};

struct top {
    const char *path;
    bool is_folder;                   /* path is a folder of profiles, shown as one */
    bool is_by_stack;                 /* rows are stacks */
    struct snapshot *now, *before;    /* NULL: none; without an earlier one there are no rates */
    struct snapshot *base;            /* calls and bytes are counted from here on; NULL: from the start */
    struct report_site *since;        /* sites with these counts */
    const struct report_site *opened; /* the site whose details are shown, of `now`; NULL: none */
    struct top_row *rows;             /* selected */
    size_t count;
    struct symbolizer names; /* for the addresses of unsited allocations */
    struct rate total;
    enum measure sort;   /* of the rows */
    size_t lines_of_row; /* from 2 on names are below the numbers, so that all columns fit */
};

enum { TOP_FILTER_SIZE = 64 };

/* The choice and order of rows. */
struct top_view {
    enum measure sort; /* MEASURE_SORTS: by the rate of bytes */
    char filter[TOP_FILTER_SIZE];
};

#define TOP_BY_RATE MEASURE_SORTS

/* Takes a snapshot and keeps the previous one for rates. There are no rows until top_select. False: *why has
 * the reason, and nothing has changed. */
bool top_refresh(struct top *, struct reason *why);
void top_close(struct top *);

/* Counts calls and bytes from now on. The program does not notice. */
void top_reset(struct top *);

/* Opens the details of a row's site, which survive refreshes as long as the site exists. */
void top_open(struct top *, const struct top_row *);

/* Sets the rows: sites with the filter in function, file, callee, type, module or inline chain, ignoring
 * case. */
void top_select(struct top *, const struct top_view *);

static inline const struct report *top_report(const struct top *top) {
    return top->now->report;
}

static inline bool top_has_rates(const struct top *top) {
    return top->before != NULL;
}

/* True if the program's counters will not change any more. */
static inline bool top_is_over(const struct top *top) {
    return !top_report(top)->running;
}

/* ---- Output: table after table, or a screen. */

struct top_options {
    struct top_view view;
    unsigned interval; /* between refreshes, in milliseconds */
    uint64_t count;    /* number of refreshes; 0: no limit */
    uint64_t rows;     /* in a table; 0: all */
    bool ends;         /* the screen closes when the program ends */
    bool is_by_stack;
};

/* The first snapshot must have been taken. Both return an exit status: tables when the program has ended, the
 * screen when the user leaves it. */
int top_tables(struct top *, const struct top_options *);
int top_screen(struct top *, const struct top_options *);

/* ---- The lines of the live table, without newlines. */

/* Program and state; totals; live blocks. */
enum { TOP_HEAD_LINES = 3 };
void top_head_line(struct out *, const struct top *, int line);

/* A narrow terminal drops columns in favour of the site, but not the sort column. Tall rows have several
 * lines. */
void top_columns_line(struct out *, const struct top *);
void top_row_line(struct out *, const struct top *, const struct top_row *);

/* Writes the lines about the opened site: its counters, callers, sizes, and the lines that freed its blocks.
 */
void top_details(struct out *, const struct top *);

#endif
