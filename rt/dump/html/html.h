/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as one HTML file to look at, send and keep.
 *
 * The file asks for nothing from anywhere, and its Content-Security-Policy keeps the browser to that: only
 * the style and the script that were built in may be used, by their hashes. What names come from a profile is
 * text wherever it stands. Without JavaScript the totals and the largest sites are a table; the script makes
 * more of the data below, which stands in the file once. */
#ifndef ALLOCSITE_DUMP_HTML_HTML_H
#define ALLOCSITE_DUMP_HTML_HTML_H

#include "base/out.h"
#include "dump/compare/diff.h"
#include "dump/line/symbolize.h"
#include "dump/record/moment.h"
#include "dump/view/tree.h"
#include "group/groups.h"
#include "model/report.h"

struct html {
    const struct report *report;         /* prepared */
    const struct diff *diff;             /* of it with an older one; NULL: it is looked at alone */
    const struct symbolizer *symbolizer; /* has looked up its addresses */
    const struct groups *threads;        /* prepared; without rows: nothing is known of threads */
    const struct groups *phases;         /* likewise */
    const struct moment *moment;         /* of a recording that it is of; NULL: it is of none */
    bool is_by_stack;                    /* rows are of stacks, not of sites */
    bool has_source;                     /* with the lines around sites, of files that can be read */
};

void html_write(struct out *, const struct html *);

/* ---- The parts of the file. */

/* Text, with what HTML would take for its own escaped. */
void html_text(struct out *, const char *);

/* The totals, and what is to be known before one trusts them; old: what they are compared with, or NULL. */
void html_head(struct out *, const struct report *, const struct report *old);

/* The largest rows, as a table that needs no script. */
void html_table(struct out *, const struct report *, bool is_by_stack);

/* ---- The data of the page's script: what the report has in JSON, packed.
 *
 * Rows of one kind are columns of equal length; a column of zeros is left out. Texts stand once, in
 * "strings", and are told by their number there; 0 is none. Ways from where the program began to a place are
 * a tree: "nodes" has the number of the parent, which is always a smaller one, and of the frame. Node 0 is
 * the root. */

/* A JSON document; < stands in no text of it, so that none can end the element that it is in. */
void pack_write(struct out *, const struct html *);

/* ---- Texts, frames and nodes, once each. */

struct pack_frame {
    size_t function, file, module, callee; /* numbers of texts; callee: of the allocating call */
    uint64_t line, column, address, is_inlined;
};

/* What follows from the frame: PASS_LIBRARY and PASS_THROUGH, or FRAME_COMPILED with the plugin; and the name
 * that a line which calls it has for it. */
enum { FRAME_COMPILED = 4 };
struct pack_role {
    uint64_t flags;
    size_t called;
};

struct pack_node {
    size_t parent, frame;
};

/* All zero: empty. */
struct pack_tables {
    const struct symbolizer *symbolizer; /* set by the caller */
    struct hash_index text_index, frame_index, node_index;
    const char **texts; /* borrowed */
    struct pack_frame *frames;
    struct pack_role *roles; /* of frames */
    struct string_pool names;
    struct pack_node *nodes;
    size_t text_count, text_room, frame_count, frame_room, role_room, node_count, node_room;
};

/* The numbers of the text, which outlives the tables, and of the node in which the path ends. */
size_t pack_text(struct pack_tables *, const char *);
size_t pack_path(struct pack_tables *, const struct call_path *);

/* The members "frames", "nodes" and "strings". */
void pack_tables_write(struct json *, const struct pack_tables *);
void pack_tables_free(struct pack_tables *);

/* A member or element that is a text, as the document has them. */
void pack_string(struct json *, const char *key, const char *);

/* The member "time": what sites had at points of a recording. numbers: of its rows in the document; SIZE_MAX:
 * it has none of them. */
void pack_time(struct json *, const struct moment *, const size_t *numbers);

/* The member "source": the lines around the sites, of files that can be read. */
void pack_source(struct json *, struct pack_tables *, const struct report *);

/* ---- What the document is written from, and its rows of sites and stacks as columns. */

struct pack_stack {
    size_t site, node;
    const struct counters *counters;
};

struct pack_stacks {
    struct pack_stack *list;
    size_t count, room;
};

struct pack {
    struct json json;
    const struct html *html;
    struct pack_tables tables;
    const struct report_site **sites; /* those that have a row */
    const struct report_site **old;   /* the same in the older report; NULL: new */
    struct report_site *gone;         /* what is left of those that were in the older one only */
    size_t site_count, gone_count;
    size_t *numbers;                       /* of each site of the report among them */
    size_t *old_numbers;                   /* and of the older one's */
    struct pack_stacks stacks, old_stacks; /* of these sites */
    const struct pack_stack *written;      /* the stacks, and */
    const struct counters **counters;      /* the counters of the rows that are written */
    struct call_path path;
};

/* The member "sites". */
void pack_sites(struct pack *);

/* The member "old": of each site, what the older report has of it; from here on sites are those of that. */
void pack_old(struct pack *);

/* The member of that name. */
void pack_stacks_as(struct pack *, const char *key, const struct pack_stacks *);

#endif
