/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A page for people, as text or as Markdown: what both write alike. */
#ifndef ALLOCSITE_WRITE_PAGE_H
#define ALLOCSITE_WRITE_PAGE_H

#include "base/out.h"
#include "model/report.h"

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

/* "file:line:column function callee of type", "file:line:column function (unsited in module)", or "unsited in
 * module". NULL: "an unknown place". */
void page_site(const struct page *, const struct report_site *);

/* The same, and the function whose code it is part of in the end: in a library of templates the first is the
 * same place for all. */
void page_site_in(const struct page *, const struct report_site *);

/* The places that the site was inlined into, each on a line below; of more than four, those from the third on
 * on one line, unless names are full. NULL: nothing. */
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

#endif
