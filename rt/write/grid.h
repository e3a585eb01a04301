/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows for people, as text or as Markdown: numbers in columns, and behind them what they are of. */
#ifndef ALLOCSITE_WRITE_GRID_H
#define ALLOCSITE_WRITE_GRID_H

#include "write/page.h"

enum { GRID_COLUMNS = 22, GRID_CELL = 40 };

/* Writes what the row has in a column; row: NULL: the column's name. */
typedef void grid_cell(char text[GRID_CELL], const void *context, const void *row, int column);

struct grid {
    const struct page *page;
    grid_cell *cell;
    const void *context;
    size_t count;                /* of columns */
    int columns[GRID_COLUMNS];   /* which they are for the cell's writer */
    size_t widths[GRID_COLUMNS]; /* of the text; what is wider moves the rest of its line */
};

/* The numbers from 0 on. */
void grid_number_columns(struct grid *, size_t count);

/* Widens the columns to what the row has. */
void grid_measure(struct grid *, const void *row);

/* Takes columns away, those that stand first in the list first, until what is behind them has so many columns
 * of the page. */
void grid_narrow(struct grid *, size_t room, const int *gives_way, size_t count);

/* The width of a row of the text before its last column. */
size_t grid_width(const struct grid *);

/* Of the lines below a row: below its last column if that is wide, else where they have room. */
size_t grid_indent(const struct grid *);

/* The line of names; last: of the last column. */
void grid_head(const struct grid *, const char *last);

/* A row up to its last column, which the caller writes, and what ends it. */
void grid_row(const struct grid *, const void *row);
void grid_end(const struct page *);

/* Spaces behind text of that width, to a column of another and two more. */
void grid_pad(struct out *, size_t used, size_t width);

/* So many spaces, where a row's numbers would be those of the row above. */
void out_spaces(struct out *, size_t count);

/* The larger one, but for what is wider than most: it sticks out rather than push all other rows apart. */
size_t grid_wider(size_t width, size_t other, size_t limit);

#endif
