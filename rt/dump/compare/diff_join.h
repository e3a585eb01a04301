/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which site of one report is which site of another one. */
#ifndef ALLOCSITE_DUMP_COMPARE_DIFF_JOIN_H
#define ALLOCSITE_DUMP_COMPARE_DIFF_JOIN_H

#include "model/report.h"

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
 */
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
