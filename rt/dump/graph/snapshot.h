/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The snapshot file of a heap, allocsite-graph(5): what is in it, and its writer. Numbers of one to ten
 * bytes, seven bits in each, the lowest first; what follows one another in memory is written as distances,
 * which take a byte or two. It is written from front to end, and nothing in it tells how many edges and roots
 * come: whoever writes it need not keep them. */
#ifndef ALLOCSITE_DUMP_GRAPH_SNAPSHOT_H
#define ALLOCSITE_DUMP_GRAPH_SNAPSHOT_H

#include "base/out.h"

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_MAGIC   "ALSGRAPH"
#define GRAPH_VERSION 1

/* At the end: FNV-1a of all bytes before. */
#define GRAPH_SUM_SIZE 8

/* In the place of the number of a text, of a site, of a stack or of a block. */
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

/* Where blocks of one site were allocated from. */
struct graph_stack {
    uint32_t way; /* a text, the functions from the program's first one to the site's, "main;load;parse";
                     none: not known */
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
    uint64_t offset; /* in it; without one the address in data, else 0 */
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
    X(stale)    /* named pointers that are not NULL and lead into memory of blocks, but to none */           \
    X(untyped)  /* of the unnamed ones, in blocks of which no type is known */                               \
    X(in_text)  /* of the others, where the type has text, or numbers too small for pointers */

struct graph_words {
#define GRAPH_MEMBER(name) uint64_t name;
    GRAPH_WORDS(GRAPH_MEMBER)
#undef GRAPH_MEMBER
};

/* How the text in a block begins, where that was asked for. */
enum { GRAPH_CONTENT_SIZE = 32 };

struct graph_content {
    uint32_t block;
    char text[GRAPH_CONTENT_SIZE + 1];
};

struct graph_head {
    uint64_t pid, taken; /* taken: nanoseconds since 1970-01-01 UTC */
    uint64_t stopped;    /* so many nanoseconds the process stood still */
    uint32_t program;    /* a text */
    struct graph_words words;
};

/* ---- Writing it: in this order, and of each kind as many as the head says. */

struct snapshot {
    struct out *out;
    uint64_t sum;     /* of what was written */
    uint64_t address; /* of the last block */
    uint32_t block;   /* its number */
    uint32_t offset;  /* of its last edge */
    bool has_stacks;
};

struct snapshot_counts {
    uint64_t texts, sites, stacks, blocks;
};

void snapshot_begin(struct snapshot *, struct out *, const struct graph_head *,
                    const struct snapshot_counts *);
void snapshot_text(struct snapshot *, const char *);
void snapshot_site(struct snapshot *, const struct graph_site *);
void snapshot_stack(struct snapshot *, const struct graph_stack *);
void snapshot_block(struct snapshot *, const struct graph_block *, uint32_t stack);
void snapshot_edge(struct snapshot *, const struct graph_edge *); /* of the block, by rising offset */
void snapshot_block_end(struct snapshot *);
void snapshot_root(struct snapshot *, const struct graph_root *);
void snapshot_roots_end(struct snapshot *);
void snapshot_content(struct snapshot *, const struct graph_content *); /* by rising block */
void snapshot_end(struct snapshot *);

#endif
