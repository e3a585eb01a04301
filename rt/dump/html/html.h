/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as one HTML file to look at, send and keep.
 *
 * The file asks for nothing from anywhere, and its Content-Security-Policy keeps the browser to that: only
 * the style and the script that were built in may be used, by their hashes. What names come from a profile is
 * text wherever it stands. Without JavaScript the totals and the largest sites are a table; the script makes
 * more of the data (pack.h), which stands in the file once. */
#ifndef ALLOCSITE_DUMP_HTML_HTML_H
#define ALLOCSITE_DUMP_HTML_HTML_H

#include "base/out.h"
#include "dump/compare/diff.h"
#include "dump/load/symbolize.h"
#include "dump/record/moment.h"
#include "group/groups.h"
#include "model/report.h"

struct html {
    const struct report *report;         /* prepared */
    const struct diff *diff;             /* of it with an older one; NULL: it is looked at alone */
    const struct symbolizer *symbolizer; /* has looked up its addresses */
    const struct groups *threads;        /* prepared; without rows: nothing is known of threads */
    const struct groups *phases;         /* likewise */
    const struct moment *moment;         /* of a recording that it is of; NULL: it is of none */
    bool has_source;                     /* with the lines around sites, of files that can be read */
};

void html_write(struct out *, const struct html *);

/* ---- The parts of the file. */

/* Text, with what HTML would take for its own escaped. */
void html_text(struct out *, const char *);

/* The totals, and what is to be known before one trusts them; old: what they are compared with, or NULL. */
void html_head(struct out *, const struct report *, const struct report *old);

/* The largest sites, as a table that needs no script. */
void html_table(struct out *, const struct report *);

#endif
