/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as one HTML file that can be viewed, sent and archived.
 *
 * The file loads nothing. Its Content-Security-Policy makes the browser enforce that: only the built-in style
 * and script, identified by their hashes, may be used. Names from a profile are always escaped as text.
 * Without JavaScript the page shows the totals and a table of the largest sites. The script builds all views
 * from the data in the file. */
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
    const struct diff *diff;             /* difference to an older report; NULL: none */
    const struct symbolizer *symbolizer; /* has looked up the report's addresses */
    const struct groups *threads;        /* prepared; no rows if the profiles have no counts by thread */
    const struct groups *phases;         /* prepared; no rows: no phases */
    const struct moment *moment;         /* moment of a recording; NULL: not a recording */
    bool is_by_stack;                    /* rows are stacks instead of sites */
    bool has_source;                     /* include the lines around sites, from readable files */
};

void html_write(struct out *, const struct html *);

/* ---- The parts of the file. */

/* Writes text with HTML's special characters escaped. */
void html_text(struct out *, const char *);

/* Writes the totals and how accurate they are; old: the report to compare with, or NULL. */
void html_head(struct out *, const struct report *, const struct report *old);

/* Writes the largest rows as a table that needs no script. */
void html_table(struct out *, const struct report *, bool is_by_stack);

/* ---- The data for the page's script: the contents of the JSON report in a compact form.
 *
 * Rows of one kind are stored as columns of equal length; a column of zeros is left out. Each string is
 * stored once, in "strings", and referred to by index; 0 is none. Call paths form a tree: "nodes" has for
 * each node its parent, which has a lower index, and its frame. Node 0 is the root. */

/* Writes a JSON document. No string contains "<", so none can end the enclosing element. */
void pack_write(struct out *, const struct html *);

/* ---- Strings, frames and nodes, each stored once. */

struct pack_frame {
    size_t function, file, module, callee; /* indices of strings; callee: of the allocating call */
    uint64_t line, column, address, is_inlined;
};

/* Properties derived from the frame: PASS_LIBRARY, PASS_THROUGH and FRAME_COMPILED (with the plugin), the
 * name under which callers see it, and the first line of its function (0: unknown). */
enum { FRAME_COMPILED = 4 };
struct pack_role {
    uint64_t flags;
    size_t called;
    uint32_t start;
};

struct pack_node {
    size_t parent, frame;
};

/* All zero: empty. */
struct pack_tables {
    const struct symbolizer *symbolizer; /* set by the caller */
    struct hash_index text_index, frame_index, node_index;
    const char **texts; /* borrowed */
    size_t *shorts;     /* for the first texts, the index of a name's short form; 0: not known to be a name */
    struct pack_frame *frames;
    struct pack_role *roles; /* of frames */
    struct string_pool names;
    struct pack_node *nodes;
    size_t text_count, text_capacity, short_count, short_capacity, frame_count, frame_capacity, role_capacity,
        node_count, node_capacity;
};

/* Return the index of the text, which must outlive the tables, and of the last node of the path. */
size_t pack_text(struct pack_tables *, const char *);
size_t pack_path(struct pack_tables *, const struct call_path *);

/* Writes the members "frames", "nodes", "strings" and "short", the short forms of the strings. */
void pack_tables_write(struct json *, const struct pack_tables *);
void pack_tables_free(struct pack_tables *);

/* Writes a member or element that is a string. */
void pack_string(struct json *, const char *key, const char *);

/* Writes the member "time": the counters of sites over the points of a recording. numbers: row of each of its
 * sites; SIZE_MAX: none. */
void pack_time(struct json *, const struct moment *, const size_t *numbers);

/* Writes the member "source": the lines around the sites, from readable files. */
void pack_source(struct json *, struct pack_tables *, const struct report *);

/* ---- The state of writing, and rows of sites and stacks as columns. */

struct pack_stack {
    size_t site, node;
    const struct counters *counters;
};

struct pack_stacks {
    struct pack_stack *list;
    size_t count, capacity;
};

struct pack {
    struct json json;
    const struct html *html;
    struct pack_tables tables;
    const struct report_site **sites; /* sites that have a row */
    const struct report_site **old;   /* the same sites in the older report; NULL: new */
    struct report_site *removed;      /* rows for sites that only the older report has */
    size_t site_count, removed_count;
    size_t *numbers;                       /* row of each site of the report */
    size_t *old_numbers;                   /* row of each site of the older report */
    struct pack_stacks stacks, old_stacks; /* of these sites */
    size_t *stack_numbers;                 /* row of each stack of the report; SIZE_MAX: none */
    const struct pack_stack *written;      /* current stacks, and */
    const struct counters **counters;      /* counters of the rows that are being written */
    struct call_path path;
};

/* Writes the member "sites". */
void pack_sites(struct pack *);

/* Writes the member "old", the older report's counters of each site, and makes these current. */
void pack_old(struct pack *);

/* Writes the stacks as a member with that name. */
void pack_stacks_as(struct pack *, const char *key, const struct pack_stacks *);

#endif
