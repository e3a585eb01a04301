/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two ways to show a running program: table after table, or a screen. */
#ifndef ALLOCSITE_DUMP_TOP_SHOW_H
#define ALLOCSITE_DUMP_TOP_SHOW_H

#include "base/out.h"
#include "dump/top/top.h"

struct top_options {
    struct top_view view;
    unsigned interval; /* between refreshes, in milliseconds */
    uint64_t count;    /* refreshes, after which it ends; 0: no limit */
    uint64_t rows;     /* of a table; 0: all */
};

/* The first snapshot must have been taken. Both return an exit status: tables when the program has ended, a
 * screen when the user wants to. */
int top_tables(struct top *, const struct top_options *);
int top_screen(struct top *, const struct top_options *);

/* ---- The lines of the live table, without their ends. */

/* Whose report it is, and whether the program runs; totals; what is live. */
enum { TOP_HEAD_LINES = 3 };
void top_head_line(struct out *, const struct top *, int line);

void top_columns_line(struct out *);
void top_row_line(struct out *, const struct top *, const struct top_row *);

#endif
