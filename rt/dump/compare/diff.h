/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two reports side by side.
 *
 * Which site of one is which of the other (below): first by what does not change while the function
 * around a call is unchanged, then, where the code was edited, by function and order. A site that counted
 * nothing stands in no report, so that "new" means: has counted in the new report only. */
#ifndef ALLOCSITE_DUMP_COMPARE_DIFF_H
#define ALLOCSITE_DUMP_COMPARE_DIFF_H

#include "base/out.h"
#include "dump/load/loaded.h"
#include "dump/view/measure.h"
#include "model/report.h"

enum diff_state {
    DIFF_NEW,
    DIFF_GONE,
    DIFF_GROWN,   /* bytes, calls, live bytes, peak: some more, none less */
    DIFF_SHRUNK,  /* some less, none more */
    DIFF_CHANGED, /* some more and some less, or only other counters differ */
    DIFF_SAME,
    DIFF_STATES
};

struct diff_row {
    const struct report_site *old, *new; /* one of them may be NULL */
    enum diff_state state;
    bool is_moved; /* to another line, column or file, or to another chain of calls */
};

struct diff {
    const struct report *old, *new;
    struct diff_row *rows; /* the largest change first */
    size_t count;
    size_t states[DIFF_STATES], moved; /* rows that are so */
    bool differs;                      /* a row, or the totals, in anything that was counted */
};

/* Both must be prepared, and outlive the diff. */
void diff_make(struct diff *, const struct report *old, const struct report *new, enum measure sort);
void diff_free(struct diff *);

/* The difference of two numbers. */
struct change {
    bool is_less;
    uint64_t by;
};

struct change change_of(const struct report_site *old, const struct report_site *new, enum measure);

/* The site as it is now, or as it was if it is gone. */
static inline const struct report_site *diff_site(const struct diff_row *row) {
    return row->new ?: row->old;
}

const char *diff_state_name(enum diff_state);

/* Which rows are shown. */
struct diff_limits {
    uint64_t top;       /* rows; 0: all */
    uint64_t min_bytes; /* of some change in bytes */
    bool all;           /* also rows without a change */
};

/* Whether the row is of those to be shown, but for the number of rows. */
bool diff_is_wanted(const struct diff_row *, const struct diff_limits *);

/* ---- The output of allocsite-dump diff. */

void diff_text(struct out *, const struct diff *, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *);

void diff_json(struct out *, const struct diff *, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *);

/* ---- Which site of one report is which site of another one. */

struct join_site {
    const struct report_site *site;
    const char *module;        /* the name that stays: without folders, and one for the program itself */
    const struct place *at;    /* what it is ordered by where code was edited */
    struct join_site *partner; /* in the other report; NULL: none */
};

struct join_side {
    const struct report *report;
    struct join_site *sites; /* those that counted something */
    size_t count;
};

/* Both reports must be prepared. Finds the partners, by the first of these that fits:
 *
 *     the same id in the same module; unsited rows: the same module, by path, then without folders;
 *     the same id;
 *     the same function, callee, file without folders, and functions that it is inlined into, in order;
 *     the same without the functions that it is inlined into.
 *
 * Of rows by stack the functions of the stack have to be the same too, and where there are several such rows,
 * first those whose addresses are. */
void join_sides(struct join_side *old, struct join_side *new);
void join_free(struct join_side *);

/* Another function, line, column or file; folders do not count. */
bool join_is_other_place(const struct place *, const struct place *);

/* Whether the two are written at different places, or inlined at different ones. */
bool join_is_moved(const struct report_site *, const struct report_site *);

/* ---- Pairs the calls of one function with those of an edited version of it. */

/* Both arrays are in the order of the code, and are calls of the same callee in the same function. Some may
 * have partners already; others get one so that
 *
 *     no two pairs cross, as an edit seldom swaps two calls;
 *     as many as possible have one;
 *     they move by as many lines as many others of the same column and type would, as everything below an
 *     inserted or deleted line does;
 *     lines move little.
 *
 * Time and memory are the product of the counts; if that is beyond ALIGN_CELLS_MAX, the calls without a
 * partner are paired one by one as they come. */
#define ALIGN_CELLS_MAX ((size_t)1 << 20)
void align(struct join_site **old, size_t old_count, struct join_site **new, size_t new_count);

#endif
