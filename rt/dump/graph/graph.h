/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The heap as a graph: blocks, and which of them point to which. What stands behind is what a snapshot file
 * has (file.c); it has no contents of blocks but where they point to. */
#ifndef ALLOCSITE_DUMP_GRAPH_GRAPH_H
#define ALLOCSITE_DUMP_GRAPH_GRAPH_H

#include "base/out.h"
#include "dump/base/complain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A label is one of the graph's texts, or none. */
#define GRAPH_NONE UINT32_MAX

struct graph_site {
    uint64_t id;
    uint32_t function, file, module, type; /* texts */
    uint32_t line, column;
    bool is_uncounted; /* its blocks are in no sum: chunks that are handed out in parts, and what nobody
                          counts */
};

struct graph_block {
    uint64_t address, size;
    uint32_t site;
    uint32_t edges; /* the first of its edges; they end where those of the next block begin */
};

enum graph_edge_flag {
    GRAPH_INTERIOR = 1, /* points into the block, not to its start */
    GRAPH_UNION = 2,    /* from a member of a union, which may be another one */
};

struct graph_edge {
    uint32_t to;
    uint32_t label;  /* the field; none: a word that looks like a pointer */
    uint32_t offset; /* in the block that it is of; more than fits is the highest number */
    uint32_t flags;  /* enum graph_edge_flag */
};

enum graph_root_kind {
    GRAPH_DATA,
    GRAPH_STACK,
    GRAPH_REGISTER,
    GRAPH_THREAD,
    GRAPH_LOADER,
    GRAPH_ROOT_KINDS
};

struct graph_root {
    uint32_t to;
    uint32_t label;  /* the variable; none: not known */
    uint64_t offset; /* in it; of stacks and registers 0 */
    uint32_t thread; /* 0: not of one */
    uint32_t kind;   /* enum graph_root_kind */
};

/* What the blocks' words are. */
#define GRAPH_WORDS(X)                                                                                       \
    X(named)    /* pointers, by the layout of the type */                                                    \
    X(unnamed)  /* look like pointers, in blocks without a type or with one that does not say so */          \
    X(interior) /* of both, point into a block and not to its start */                                       \
    X(in_union) /* of the named ones */                                                                      \
    X(past_end) /* named pointers to right behind a block */                                                 \
    X(stale)    /* named pointers that are not NULL and lead into memory of blocks, but to none */

struct graph_words {
#define GRAPH_MEMBER(name) uint64_t name;
    GRAPH_WORDS(GRAPH_MEMBER)
#undef GRAPH_MEMBER
};

/* All zero: empty. */
struct graph {
    uint64_t pid, taken; /* taken: nanoseconds since 1970-01-01 UTC */
    uint64_t stopped;    /* so many nanoseconds the process stood still */
    uint32_t program;    /* a text */
    struct graph_words words;
    char **texts;
    size_t text_count;
    struct graph_site *sites;
    size_t site_count, site_room;
    struct graph_block *blocks; /* by rising address, with one more at the end for its edges */
    size_t block_count;
    struct graph_edge *edges;
    size_t edge_count, edge_room;
    struct graph_root *roots;
    size_t root_count, root_room;
};

void graph_free(struct graph *);

/* NULL: none. */
static inline const char *graph_text(const struct graph *graph, uint32_t text) {
    return text == GRAPH_NONE ? NULL : graph->texts[text];
}

static inline const struct graph_site *graph_site_of(const struct graph *graph, size_t block) {
    return &graph->sites[graph->blocks[block].site];
}

static inline const char *graph_type_of(const struct graph *graph, size_t block) {
    return graph_text(graph, graph_site_of(graph, block)->type);
}

/* What of a block counts in sums. */
static inline uint64_t graph_own(const struct graph *graph, size_t block) {
    return graph_site_of(graph, block)->is_uncounted ? 0 : graph->blocks[block].size;
}

/* ---- The snapshot file: allocsite-graph(5). */

#define GRAPH_MAGIC   "ALSGRAPH"
#define GRAPH_VERSION 1

/* At the end: FNV-1a of all bytes before. */
#define GRAPH_SUM_SIZE 8

void graph_write(struct out *, const struct graph *);

bool graph_is_file(const char *bytes, size_t size);

/* The bytes may be damaged or hostile. False: *why says what is wrong, and there is nothing to free. */
bool graph_read(struct graph *, const char *bytes, size_t size, struct reason *why);

#endif
