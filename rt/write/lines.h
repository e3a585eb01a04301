/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text for people: lines that fit a width, and rows in columns. */
#ifndef ALLOCSITE_WRITE_LINES_H
#define ALLOCSITE_WRITE_LINES_H

#include "base/out.h"
#include "model/report.h"
#include "names/names.h"

/* ---- Text and Markdown (page.c). */

struct page {
    struct out *out;
    const struct report *report;
    bool is_markdown;
    size_t indent; /* of the lines below a row of the text */
    size_t room;   /* columns for a path on the current line; 0: any number */
};

/* Writes a string of the program so that it is harmless in terminals and table cells. NULL: "?". */
void page_code(const struct page *, const char *);

/* Write the name of a function or type, shortened unless the report has full names. */
void page_function(const struct page *, const char *);
void page_type(const struct page *, const char *);

/* Starts a style on a coloured terminal; STYLE_PLAIN ends it. */
enum style { STYLE_PLAIN, STYLE_PLACE, STYLE_FAINT, STYLE_ALARM };
void page_style(const struct page *, enum style);

/* Writes "1,234" and then `singular` or `plural`, depending on the count. */
void page_count(const struct page *, uint64_t count, const char *singular, const char *plural);

/* Writes "1.5 KiB". */
void page_size(const struct page *, uint64_t bytes);

/* Writes "12.3%". */
void page_share(const struct page *, uint64_t part, uint64_t whole);

/* Writes a line if most rows are in the headers of one folder, which is then probably a library (headers.c).
 */
void page_headers(const struct page *);

/* Starts a new line below a row. */
void page_break(const struct page *);

/* Begin and end a line with a label above a table. */
void page_begin_line(const struct page *, const char *text, const char *markdown);
void page_end_line(const struct page *);

/* Writes "file:line:column: function -> callee [type]"; for allocations outside instrumented code
 * "file:line: function (module)" or "module+0x1f: function". NULL: "an unknown place". */
void page_site(const struct page *, const struct report_site *);

/* Writes the site and then the functions that it was inlined into, with " <- " before each. */
void page_site_in(const struct page *, const struct report_site *);

/* Writes "function (file:line)". */
void page_caller(const struct page *, const struct place *);

/* Writes `before`, then the functions that the site was inlined into with " <- " between them. Returns
 * whether there are any. Shortens a long chain to the first functions and the last one, unless names are
 * full. */
bool page_inlined(const struct page *, const struct report_site *, const char *before);

/* Writes "called by ..." with the functions of page_inlined on a line below the row, if there are any. */
void page_chain(const struct page *, const struct report_site *);

/* Writes "src/a.c:12:7", or the known part of it. */
void page_place(const struct page *, const struct place *);

/* Writes a path as code. NULL: "?". */
void page_path(const struct page *, const char *);

/* Writes "src/a.c:12:7", with line and column if they are known. Paths below directory become relative to it.
 * directory may be NULL. */
void place_write(struct out *, const struct place *, const char *directory);

/* ---- Lines that fit a width. Names and paths are shortened first, then the line is broken at spaces. */

/* The width of text that does not go to a terminal, unless COLUMNS is set. This width fits a mail or half a
 * screen. */
enum { LINE_WIDTH = 100, LINE_WIDTH_LEAST = 40 };

/* Sets the width and colour of the report from COLUMNS, NO_COLOR and the terminal at fd, and the directory to
 * which paths are relative. The directory is static: only one report can be written at a time. */
void line_fit(struct report *, int fd);

/* Sets the directory to which paths are relative: the working directory or, if it contains no file of the
 * program, the directory common to all files except system headers. Static: one report at a time. */
void line_directory(struct report *);

/* Collects the names of functions and types of a report, so that two names are not shortened to one string.
 * other: a report whose names appear in the same output; NULL: none. Static: one report at a time. */
void line_names(struct report *, const struct report *other);

struct line {
    struct page page; /* collects the text of the line */
    const struct page *to;
    struct out out;
    size_t used, indent;
    char text[2048]; /* longer lines are cut */
};

/* Starts a line. used: columns already written; indent: of continuation lines. A line is never broken in
 * Markdown, with full names, or without a width. */
void line_begin(struct line *, const struct page *to, size_t used, size_t indent);

/* Writes a space that is preferred as the line break. */
void line_space(const struct page *);
void line_end(struct line *);

/* Begin and end a faint line below a row. */
void page_begin_below(struct line *, const struct page *);
void page_end_below(struct line *);

/* Ends a line without continuation: drops the text that exceeds the width. */
void line_cut(struct line *);

/* Returns the width of the page in columns; 0: unlimited. */
static inline size_t line_width(const struct page *page) {
    return page->is_markdown ? 0 : page->report->width;
}

/* Returns the number of columns for a name on a line below a row. */
size_t line_room(const struct page *);

/* ---- Tables, as text or Markdown: numbers in columns, and a last column that the caller writes. */

enum { GRID_COLUMNS = 28, GRID_CELL = 40 };

/* Writes the cell of a row in a column. row: NULL for the name of the column. */
typedef void grid_cell(char text[GRID_CELL], const void *context, const void *row, int column);

struct grid {
    const struct page *page;
    grid_cell *cell;
    const void *context;
    size_t count;                 /* number of columns */
    int columns[GRID_COLUMNS];    /* the column numbers that are passed to cell */
    size_t widths[GRID_COLUMNS];  /* of the text; a wider cell shifts the cells after it */
    bool is_filled[GRID_COLUMNS]; /* a measured row has a value other than 0 in it */
    int dropped[GRID_COLUMNS]; /* columns that do not fit the page, in the order in which they were dropped */
    size_t dropped_count;
};

/* Numbers the columns from 0 on. */
void grid_number_columns(struct grid *, size_t count);

/* Widens the columns for the cells of a row. */
void grid_measure(struct grid *, const void *row);

/* Drops columns of the list until the last column has `room` columns of the page: first the columns without a
 * value in any measured row, then the others, in the order of the list. */
void grid_narrow(struct grid *, size_t room, const int *gives_way, size_t count);

/* Returns the width of a row before its last column. */
size_t grid_width(const struct grid *);

/* Returns the indentation of lines below a row: the last column's position if it is wide enough, else a small
 * indentation. */
size_t grid_indent(const struct grid *);

/* Writes the row's cells in the dropped columns on a line below the row, as "1.0 KiB peak, 3 moved". Leaves
 * out empty cells and zeros. */
void grid_put_dropped(const struct grid *, const struct page *, const void *row);

/* Writes the column names; last: name of the last column. */
void grid_head(const struct grid *, const char *last);

/* Write a row up to its last column, and the end of a row. */
void grid_row(const struct grid *, const void *row);
void grid_end(const struct page *);

/* Pads text of `used` columns to `width` columns, and writes two spaces. */
void grid_pad(struct out *, size_t used, size_t width);

void out_spaces(struct out *, size_t count);

/* Returns the larger width, but ignores widths above limit: one wide cell must not widen all rows. */
size_t grid_wider(size_t width, size_t other, size_t limit);

#endif
