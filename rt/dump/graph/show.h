/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is told of a graph, and how. */
#ifndef ALLOCSITE_DUMP_GRAPH_SHOW_H
#define ALLOCSITE_DUMP_GRAPH_SHOW_H

#include "base/out.h"
#include "dump/graph/graph.h"
#include "write/formats.h"
#include "write/lines.h"

enum graph_format {
    GRAPH_TEXT,
    GRAPH_JSON,
    GRAPH_TSV,
    GRAPH_CSV,
    GRAPH_MARKDOWN,
    GRAPH_MERMAID,
    GRAPH_DOT,
    GRAPH_HEAPSNAPSHOT
};

/* Rows, with a head. shown: so many of them. */
void graph_show_sums(struct out *, const struct graph *, const struct graph_sums *, size_t shown,
                     enum graph_by, enum graph_format);

/* How many lines follow, and then these: "number TAB type". */
void graph_show_counts(struct out *, const struct graph_sums *);
void graph_show_sizes(struct out *, const struct graph_sums *);

/* A line for each live object: address, size, type, site, if they are wanted the stack. */
void graph_show_dump(struct out *, const struct graph *, bool has_stacks);

/* A line for each reference: the holder's address or the root, the field, the address of what it points to.
 */
void graph_show_edges(struct out *, const struct graph *);

/* All of it as a heap snapshot of V8. */
void graph_show_heapsnapshot(struct out *, const struct graph *, const struct graph_dominators *);

/* Who refers to objects of the type: as a table, or as a picture of so many levels. */
void graph_show_holders(struct out *, const struct graph *, const char *type, size_t shown, unsigned levels,
                        enum graph_format);

/* The table alone; type: what was asked for, as the heading. */
void graph_table_holders(struct out *, const struct graph *, const struct graph_asked *, const char *type,
                         size_t shown, enum graph_format);

/* Single objects of the type, and backwards from them who refers to them, as a picture. */
void graph_show_objects(struct out *, const struct graph *, const char *type, unsigned levels, size_t limit,
                        bool is_dot);

/* How roots lead to objects of a type, to that at an address, or to those of a site: the shortest ways; and
 * of lost ones who holds them. False: there are none. */
bool graph_show_why(struct out *, const struct graph *, const char *what, size_t limit);

/* What types have grown from one to the other, and who holds more of them. */
void graph_show_growth(struct out *, const struct graph *from, const struct graph *to, size_t shown,
                       enum graph_format);

/* In quotes, behind something; nothing if it is not known how the block's text begins. */
void graph_put_content(struct out *, const struct graph *, size_t block);

/* ---- Tables: what is in their columns is said once, for people and for programs. */

/* Has the names of the graph's types told apart where they are shown; the graph must outlive all pages. */
void graph_names(const struct graph *);

struct page graph_page(struct out *, enum graph_format);

/* A column that has a uint64_t of the row, of a change an int64_t, or a text. */
struct graph_column {
    const char *name;
    size_t offset; /* of it in the row */
    bool is_bytes, is_change, is_text;
};

struct graph_table {
    const struct graph_column *columns;
    size_t count, numbers; /* the first ones are numbers; people are shown these alone, and then */
    const char *last;      /* the name of what stands behind them */
    void (*put_last)(const struct page *, const void *context, const void *row);
    const void *context;
};

/* Rows of that size as text, Markdown, TSV or CSV; total is for people, and NULL if there is none. */
void graph_put_table(struct out *, enum graph_format, const struct graph_table *, const void *rows,
                     size_t count, size_t size, const void *total);

/* Members of a row that are in so many of the columns. */
void graph_json_columns(struct json *, const void *row, const struct graph_column *, size_t count);

void graph_put_holder(const struct page *, const struct graph_holder *);
void graph_holders_json(struct json *, const char *key, const struct graph_holders *, size_t shown);

/* ---- Pictures. */

struct diagram {
    struct out *out;
    bool is_dot;
};

/* Mermaid draws no more edges than this, and a file cannot ask it to. */
enum { DIAGRAM_NODES = 60, DIAGRAM_EDGES = 200 };

#endif
