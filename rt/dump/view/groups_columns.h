/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The columns of groups for people: those of sites, but for a few. */
#ifndef ALLOCSITE_DUMP_VIEW_GROUPS_COLUMNS_H
#define ALLOCSITE_DUMP_VIEW_GROUPS_COLUMNS_H

#include "dump/view/groups.h"
#include "write/columns.h"

/* Those that sites do not have; frees: what a phase or a thread has given back. */
enum {
    COLUMN_FREES = COLUMNS,
    /* Of types: sizeof, what of it is padding, and what that comes to. */
    COLUMN_SIZE,
    COLUMN_HOLES,
    COLUMN_PADDING,
    COLUMN_LIVE_PADDING,
    GROUP_COLUMNS
};

/* Writes which columns there are, in their order, and returns how many. */
size_t groups_columns(int columns[GROUP_COLUMNS], const struct groups *, const struct report *);

const char *groups_column_name(int column);

/* What a row, or the sum of the hidden ones, has in it. */
void groups_cell(char text[UNITS_SIZE], const struct groups *, const struct group *, int column);

#endif
