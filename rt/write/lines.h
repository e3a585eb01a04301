/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for people: those that fit a width, and rows in columns. */
#ifndef ALLOCSITE_WRITE_LINES_H
#define ALLOCSITE_WRITE_LINES_H

#include "base/out.h"
#include "model/report.h"

/* ---- A page for people (page.c), as text or as Markdown: what both write alike. */

struct page {
    struct out *out;
    const struct report *report;
    bool is_markdown;
    size_t indent; /* of the lines below a row of the text */
    size_t room;   /* for a path on the line that is written, in columns; 0: any */
};

/* Text that names something of the program, harmless for terminals and table cells. NULL: a question mark. */
void page_code(const struct page *, const char *);

/* Names of functions and types, of bearable length unless the report's limits say otherwise. */
void page_function(const struct page *, const char *);
void page_type(const struct page *, const char *);

/* What follows is coloured, until STYLE_PLAIN. */
enum style { STYLE_PLAIN, STYLE_PLACE, STYLE_FAINT, STYLE_ALARM };
void page_style(const struct page *, enum style);

/* "1,234" and the word that fits */
void page_count(const struct page *, uint64_t count, const char *one, const char *many);

/* "1.5 KiB" */
void page_size(const struct page *, uint64_t bytes);

/* "12.3%" */
void page_share(const struct page *, uint64_t part, uint64_t whole);

/* Begins a line below a row. */
void page_break(const struct page *);

/* A line of its own above a table: what it begins with, and its end. */
void page_begin_line(const struct page *, const char *text, const char *markdown);
void page_end_line(const struct page *);

/* Writes "file:line:column: function -> callee [type]"; for allocations outside instrumented code
 * "file:line: function (module)" or "module+0x1f: function". NULL: "an unknown place". */
void page_site(const struct page *, const struct report_site *);

/* Writes the site and then the functions that it was inlined into, " <- " before each. */
void page_site_in(const struct page *, const struct report_site *);

/* Writes "function (file:line)". */
void page_caller(const struct page *, const struct place *);

/* Writes the functions that the site was inlined into, before and then " <- " between them, and returns
 * whether there are any. Of many only the first ones and the last one are shown, unless names are full. */
bool page_inlined(const struct page *, const struct report_site *, const char *before);

/* Writes them on a line below the row, "called by ...", if there are any. */
void page_chain(const struct page *, const struct report_site *);

/* "src/a.c:12:7", as far as it is known. */
void page_place(const struct page *, const struct place *);

/* A path as code; NULL: a question mark. */
void page_path(const struct page *, const char *);

/* Writes "src/a.c:12:7", line and column where they are known. Paths below directory are shown relative to
 * it; NULL: none are. */
void place_write(struct out *, const struct place *, const char *directory);

/* The path of it alone; NULL: a question mark. */
void place_write_path(struct out *, const char *path, const char *directory);

/* ---- Lines for people that fit a width: they are broken at spaces, and what has none is shortened before.
 */

/* Where a report's text goes that is no terminal. Narrower than most, so that it can be read in a mail or
 * beside the source; COLUMNS says otherwise. */
enum { LINE_WIDTH = 100, LINE_WIDTH_LEAST = 40 };

/* Prepares the report for people who read fd: its width and colour, by COLUMNS, NO_COLOR and the terminal,
 * and below which directory paths are shown. One report at a time. */
void line_fit(struct report *, int fd);

/* Below which directory paths are shown: where no file of the program lies below the working directory, that
 * which they have in common. Headers of the system are in neither. One report at a time. */
void line_directory(struct report *);

/* Collects the names of functions and types of a report, so that names that would be cut alike are shown
 * apart. other: a report whose names are shown in the same text; NULL: none. One report at a time. */
void line_names(struct report *, const struct report *other);

struct line {
    struct page page; /* what is written here is the line's text */
    const struct page *to;
    struct out out;
    size_t used, indent;
    char text[2048]; /* what is longer is cut */
};

/* used: columns that stand before it; indent: of the lines that go on with it. As Markdown, with full names,
 * or where there is no width, nothing is broken. */
void line_begin(struct line *, const struct page *to, size_t used, size_t indent);

/* A space, where a line that must be broken is broken first. */
void line_space(const struct page *);
void line_end(struct line *);

/* A faint line below a row. */
void page_begin_below(struct line *, const struct page *);
void page_end_below(struct line *);

/* The same where there is only one line: what does not fit is left out. */
void line_cut(struct line *);

/* Of the page in columns; 0: as wide as it gets. */
static inline size_t line_width(const struct page *page) {
    return page->is_markdown ? 0 : page->report->width;
}

/* Columns that a name may have on a line below the row. */
size_t line_room(const struct page *);

/* ---- Rows for people, as text or as Markdown: numbers in columns, and behind them what they are of. */

enum { GRID_COLUMNS = 28, GRID_CELL = 40 };

/* Writes what the row has in a column; row: NULL: the column's name. */
typedef void grid_cell(char text[GRID_CELL], const void *context, const void *row, int column);

struct grid {
    const struct page *page;
    grid_cell *cell;
    const void *context;
    size_t count;                 /* of columns */
    int columns[GRID_COLUMNS];    /* which they are for the cell's writer */
    size_t widths[GRID_COLUMNS];  /* of the text; what is wider moves the rest of its line */
    bool is_filled[GRID_COLUMNS]; /* a measured row has more than nothing in it */
    int dropped[GRID_COLUMNS];    /* columns for which the page is too narrow, the first dropped one first */
    size_t dropped_count;
};

/* The numbers from 0 on. */
void grid_number_columns(struct grid *, size_t count);

/* Widens the columns to what the row has. */
void grid_measure(struct grid *, const void *row);

/* Drops columns of the list until the last column has so many characters of the page: first the columns in
 * which no measured row has anything, then the others, in the order of the list. */
void grid_narrow(struct grid *, size_t room, const int *gives_way, size_t count);

/* The width of a row of the text before its last column. */
size_t grid_width(const struct grid *);

/* Of the lines below a row: below its last column if that is wide, else where they have room. */
size_t grid_indent(const struct grid *);

/* Writes the row's cells in the dropped columns on a line below the row, as "1.0 KiB peak, 3 moved"; cells
 * that say nothing are left out. */
void grid_put_dropped(const struct grid *, const struct page *, const void *row);

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
