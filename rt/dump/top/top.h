/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocations of a running program, again and again.
 *
 * Each refresh reads the whole file that the program counts in: it is neither stopped nor asked, and does not
 * notice. Rates are what was counted since the refresh before. */
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
    bool is_joined; /* then of the source there is the report alone, and the rest is in: */
    struct joined joined;
    const struct report *report; /* the source's, or by stack */
    struct by_stack by_stack;
    struct report_site **sites; /* that have counted, ordered by what they are */
    struct timespec time;
};

/* Counts in a second. */
struct rate {
    uint64_t allocs, bytes;
};

struct top_row {
    const struct report_site *site;
    struct rate rate;
};

struct top {
    const char *path;
    bool is_folder;                /* of profiles, which are shown as one */
    bool is_by_stack;              /* rows are of stacks */
    struct snapshot *now, *before; /* NULL: none yet; without one before there are no rates */
    struct top_row *rows;          /* selected */
    size_t count;
    struct symbolizer names; /* of the addresses of unsited allocations */
    struct rate total;
    enum measure sort; /* of the rows */
};

enum { TOP_FILTER_SIZE = 64 };

/* Which rows, and in which order. */
struct top_view {
    enum measure sort; /* MEASURE_SORTS: by the rate of bytes */
    char filter[TOP_FILTER_SIZE];
};

#define TOP_BY_RATE MEASURE_SORTS

/* Takes a snapshot; the one that was the last becomes the one before, and there are no rows until they are
 * selected. False: *why says why, and nothing has changed. */
bool top_refresh(struct top *, struct reason *why);
void top_close(struct top *);

/* Sets the rows: those whose function, file, callee, type or module has the filter in it, in any case of
 * letters, also of the functions that they are inlined into. */
void top_select(struct top *, const struct top_view *);

static inline const struct report *top_report(const struct top *top) {
    return top->now->report;
}

static inline bool top_has_rates(const struct top *top) {
    return top->before != NULL;
}

/* The program's numbers will not change any more. */
static inline bool top_is_over(const struct top *top) {
    return !top_report(top)->running;
}

/* ---- The two ways to show a running program: table after table, or a screen. */

struct top_options {
    struct top_view view;
    unsigned interval; /* between refreshes, in milliseconds */
    uint64_t count;    /* refreshes, after which it ends; 0: no limit */
    uint64_t rows;     /* of a table; 0: all */
    bool ends;         /* a screen ends with the program */
    bool is_by_stack;
};

/* The first snapshot must have been taken. Both return an exit status: tables when the program has ended, a
 * screen when the user wants to. */
int top_tables(struct top *, const struct top_options *);
int top_screen(struct top *, const struct top_options *);

/* ---- The lines of the live table, without their ends. */

/* Whose report it is, and whether the program runs; totals; what is live. */
enum { TOP_HEAD_LINES = 3 };
void top_head_line(struct out *, const struct top *, int line);

/* Columns give way to the site where the terminal is narrow, but not the one that rows are sorted by. */
void top_columns_line(struct out *, const struct top *);
void top_row_line(struct out *, const struct top *, const struct top_row *);

#endif
