/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares two reports.
 *
 * Sites are matched first by properties that do not change while the function around a call is unchanged, and
 * in edited code by function and order (see below). A report contains no site without counters, so "new"
 * means: counted only in the new report. */
#ifndef ALLOCSITE_DUMP_COMPARE_DIFF_H
#define ALLOCSITE_DUMP_COMPARE_DIFF_H

#include "base/out.h"
#include "dump/load/loaded.h"
#include "dump/view/measure.h"
#include "model/report.h"

enum diff_state {
    DIFF_NEW,
    DIFF_GONE,
    DIFF_GROWN,   /* bytes, calls, live bytes or peak: some more, none less */
    DIFF_SHRUNK,  /* some less, none more */
    DIFF_CHANGED, /* some more and some less, or only other counters differ */
    DIFF_SAME,
    DIFF_STATES
};

struct diff_row {
    const struct report_site *old, *new; /* one of them may be NULL */
    enum diff_state state;
    bool is_moved; /* different line, column, file or inline chain */
};

struct diff {
    const struct report *old, *new;
    struct diff_row *rows; /* in descending order of the change */
    size_t count;
    size_t states[DIFF_STATES], moved; /* number of rows */
    bool differs;                      /* a counter of a row or of the totals differs */
};

/* Both must be prepared and outlive the diff. */
void diff_make(struct diff *, const struct report *old, const struct report *new, enum measure sort);
void diff_free(struct diff *);

/* The difference of two numbers. */
struct change {
    bool is_less;
    uint64_t by;
};

struct change change_of(const struct report_site *old, const struct report_site *new, enum measure);

/* The site in the new report, or in the old one if it is gone. */
static inline const struct report_site *diff_site(const struct diff_row *row) {
    return row->new ?: row->old;
}

const char *diff_state_name(enum diff_state);

/* The choice of rows. */
struct diff_limits {
    uint64_t top;       /* rows; 0: all */
    uint64_t min_bytes; /* lower bound of a change in bytes */
    bool all;           /* include rows without a change */
};

/* True if the row passes the limits other than `top`. */
bool diff_is_wanted(const struct diff_row *, const struct diff_limits *);

/* ---- Output. */

void diff_text(struct out *, const struct diff *, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *);

void diff_json(struct out *, const struct diff *, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *);

/* ---- Matching sites of two reports. */

struct join_site {
    const struct report_site *site;
    const char *module;        /* stable name: the file name, or one name for the program */
    const struct place *at;    /* location by which sites in edited code are ordered */
    struct join_site *partner; /* matching site of the other report; NULL: none */
};

struct join_side {
    const struct report *report;
    struct join_site *sites; /* sites with counters */
    size_t count;
};

/* Finds matching sites. Both reports must be prepared. The first rule that fits decides:
 *
 *     the same id in the same module; unsited rows: the same module, by path, then by file name;
 *     the same id;
 *     the same function, callee, file name and inlining functions, in order;
 *     the same without the inlining functions.
 *
 * Rows by stack must also have the same functions in their stacks. If there are several, rows with equal
 * addresses are matched first. */
void join_sides(struct join_side *old, struct join_side *new);
void join_free(struct join_side *);

/* True if function, line, column or file differ; folders do not matter. */
bool join_is_other_place(const struct place *, const struct place *);

/* True if the locations or inline chains differ. */
bool join_is_moved(const struct report_site *, const struct report_site *);

/* ---- Matching the calls of a function with those of an edited version. */

/* Both arrays are in source order and have calls of one callee in one function. Some calls may have partners
 * already. The remaining calls are paired by these rules, the most important first:
 *
 *     no two pairs cross, because an edit seldom swaps calls;
 *     as many calls as possible have a partner;
 *     a pair moves by as many lines as many similar pairs do, as after an inserted or deleted line;
 *     calls move by few lines.
 *
 * Time and memory are proportional to the product of the counts. If that exceeds ALIGN_CELLS_MAX, calls
 * without a partner are matched in order. */
#define ALIGN_CELLS_MAX ((size_t)1 << 20)
void diff_align(struct join_site **old, size_t old_count, struct join_site **new, size_t new_count);

#endif
