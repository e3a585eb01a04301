/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two reports side by side.
 *
 * Which site of one is which of the other (diff_join.h): first by what does not change while the function
 * around a call is unchanged, then, where the code was edited, by function and order. A site that counted
 * nothing stands in no report, so that "new" means: has counted in the new report only. */
#ifndef ALLOCSITE_DUMP_COMPARE_DIFF_H
#define ALLOCSITE_DUMP_COMPARE_DIFF_H

#include "base/out.h"
#include "dump/load/loaded.h"
#include "dump/view/measure.h"

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

#endif
