/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes graphs for people and for other programs. */
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

/* Writes a heading and the first `shown` rows. */
void graph_show_sums(struct out *, const struct graph *, const struct graph_sums *, size_t shown,
                     enum graph_by, enum graph_format);

/* Writes the number of lines, and then "number TAB type" for each type. */
void graph_show_counts(struct out *, const struct graph_sums *);
void graph_show_sizes(struct out *, const struct graph_sums *);

/* Writes a line for each live object: address, size, type, site and optionally the stack. */
void graph_show_dump(struct out *, const struct graph *, bool has_stacks);

/* Writes a line for each reference: the holder's address or the root, the field, the target's address. */
void graph_show_edges(struct out *, const struct graph *);

/* Writes the graph as a heap snapshot of V8. */
void graph_show_heapsnapshot(struct out *, const struct graph *, const struct graph_dominators *);

/* Writes who refers to objects of the type, as a table or as a picture with that many levels. */
void graph_show_holders(struct out *, const struct graph *, const char *type, size_t shown, unsigned levels,
                        enum graph_format);

/* Writes the table alone. type: the name that the user gave, for the heading. */
void graph_table_holders(struct out *, const struct graph *, const struct graph_asked *, const char *type,
                         size_t shown, enum graph_format);

/* Writes a picture of single objects of the type and of the references to them, backwards. */
void graph_show_objects(struct out *, const struct graph *, const char *type, unsigned levels, size_t limit,
                        bool is_dot);

/* Writes the shortest paths from roots to objects of a type, to the object at an address, or to objects of a
 * site; and for leaked objects their holders. False: no such object. */
bool graph_show_why(struct out *, const struct graph *, const char *what, size_t limit);

/* Writes which types have grown from one graph to the other, and which references to them are new. */
void graph_show_growth(struct out *, const struct graph *from, const struct graph *to, size_t shown,
                       enum graph_format);

/* Writes the beginning of the block's text in quotes after a separator; nothing if unknown. */
void graph_put_content(struct out *, const struct graph *, size_t block);

/* ---- Tables. One definition of the columns serves people and programs. */

/* Registers the names of the graph's types, so that pages can tell similar ones apart. The graph must outlive
 * all pages. */
void graph_names(const struct graph *);

struct page graph_page(struct out *, enum graph_format);

/* A column shows a uint64_t, an int64_t (is_change) or a string of the row. */
struct graph_column {
    const char *name;
    size_t offset; /* of the value in the row */
    bool is_bytes, is_change, is_text;
};

struct graph_table {
    const struct graph_column *columns;
    size_t count, numbers; /* the first columns are numbers; people see only these and */
    const char *last;      /* a last column with this name */
    void (*put_last)(const struct page *, const void *context, const void *row);
    const void *context;
};

/* Writes rows of `size` bytes as text, Markdown, TSV or CSV. The total is shown to people only; NULL:
 * none. */
void graph_put_table(struct out *, enum graph_format, const struct graph_table *, const void *rows,
                     size_t count, size_t size, const void *total);

/* Writes members of a row for the first `count` columns. */
void graph_json_columns(struct json *, const void *row, const struct graph_column *, size_t count);

void graph_put_holder(const struct page *, const struct graph_holder *);
void graph_holders_json(struct json *, const char *key, const struct graph_holders *, size_t shown);

/* ---- Pictures. */

struct diagram {
    struct out *out;
    bool is_dot;
};

/* Mermaid draws at most this many edges, and a file cannot raise its limit. */
enum { DIAGRAM_NODES = 60, DIAGRAM_EDGES = 200 };

#endif
