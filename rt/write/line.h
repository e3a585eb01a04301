/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for people that fit a width: they are broken at spaces, and what has none is shortened before. */
#ifndef ALLOCSITE_WRITE_LINE_H
#define ALLOCSITE_WRITE_LINE_H

#include "write/page.h"

/* Where a report's text goes that is no terminal. Narrower than most, so that it can be read in a mail or
 * beside the source; COLUMNS says otherwise. */
enum { LINE_WIDTH = 100, LINE_WIDTH_LEAST = 40 };

/* Prepares the report for people who read fd: its width and colour, by COLUMNS, NO_COLOR and the terminal,
 * and below which directory paths are shown. One report at a time. */
void line_fit(struct report *, int fd);

/* Below which directory paths are shown: where no file of the program lies below the working directory, that
 * which they have in common. Headers of the system are in neither. One report at a time. */
void line_directory(struct report *);

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

/* The same where there is only one line: what does not fit is left out. */
void line_cut(struct line *);

/* Of the page in columns; 0: as wide as it gets. */
static inline size_t line_width(const struct page *page) {
    return page->is_markdown ? 0 : page->report->width;
}

/* Columns that a name may have on a line below the row. */
size_t line_room(const struct page *);

#endif
