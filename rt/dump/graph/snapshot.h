/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The snapshot file of a heap, allocsite-graph(5): its contents and its writer. Numbers are LEB128: seven
 * bits per byte, lowest first. Addresses are written as differences, which take a byte or two. The file is
 * written sequentially, and its head does not contain the numbers of edges and roots, so the writer does not
 * have to keep them. */
#ifndef ALLOCSITE_DUMP_GRAPH_SNAPSHOT_H
#define ALLOCSITE_DUMP_GRAPH_SNAPSHOT_H

#include "base/out.h"

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_MAGIC   "ALSGRAPH"
#define GRAPH_VERSION 1

/* The file ends in FNV-1a of all bytes before. */
#define GRAPH_SUM_SIZE 8

/* In place of an index of a string, site, stack or block: none. */
#define GRAPH_NONE UINT32_MAX

struct graph_site {
    uint64_t id;
    uint32_t function, file, module, type; /* strings */
    uint32_t line, column;
    bool is_uncounted; /* not in sums: chunks of custom allocators, and blocks that are not counted */
};

struct graph_block {
    uint64_t address, size;
    uint32_t site;
    uint32_t edges; /* index of its first edge; its edges end where those of the next block begin */
};

/* A call path of a site's allocations. */
struct graph_stack {
    uint32_t way; /* string of functions from the program's first to the site's, "main;load;parse";
                   * GRAPH_NONE: unknown */
};

enum graph_edge_flag {
    GRAPH_INTERIOR = 1, /* points into the block, not to its start */
    GRAPH_UNION = 2,    /* from a member of a union, which may hold another member */
};

struct graph_edge {
    uint32_t to;
    uint32_t label;  /* field; GRAPH_NONE: a word that looks like a pointer */
    uint32_t offset; /* in the holder; saturates at the highest number */
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
    uint32_t label;  /* variable; GRAPH_NONE: unknown */
    uint64_t offset; /* in the variable; without one the address in data, else 0 */
    uint32_t thread; /* 0: not of a thread */
    uint32_t kind;   /* enum graph_root_kind */
};

/* Counts of words in blocks, by kind. */
#define GRAPH_WORDS(X)                                                                                       \
    X(named)    /* pointers according to the type's layout */                                                \
    X(unnamed)  /* words that look like pointers where no layout says so */                                  \
    X(interior) /* of both kinds, those that point into a block and not to its start */                      \
    X(in_union) /* of the named ones, those in unions */                                                     \
    X(past_end) /* named pointers to the end of a block */                                                   \
    X(stale)    /* named pointers, not NULL, into memory of blocks but to no live one */                     \
    X(untyped)  /* of the unnamed ones, those in blocks of unknown type */                                   \
    X(in_text)  /* of the others, where the type has text or small numbers */

struct graph_words {
#define GRAPH_MEMBER(name) uint64_t name;
    GRAPH_WORDS(GRAPH_MEMBER)
#undef GRAPH_MEMBER
};

/* The bytes kept of the text in a block, on request. */
enum { GRAPH_CONTENT_SIZE = 32 };

struct graph_content {
    uint32_t block;
    char text[GRAPH_CONTENT_SIZE + 1];
};

struct graph_head {
    uint64_t pid, taken; /* taken: nanoseconds since 1970-01-01 UTC */
    uint64_t stopped;    /* nanoseconds for which the process was stopped */
    uint32_t program;    /* string */
    struct graph_words words;
};

/* ---- Writing. The calls come in this order, for each kind as often as the head says. */

struct snapshot {
    struct out *out;
    uint64_t sum;     /* of the bytes written so far */
    uint64_t address; /* of the last block */
    uint32_t block;   /* index of the last block */
    uint32_t offset;  /* of the last edge */
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
void snapshot_edge(struct snapshot *, const struct graph_edge *); /* by ascending offset in the block */
void snapshot_block_end(struct snapshot *);
void snapshot_root(struct snapshot *, const struct graph_root *);
void snapshot_roots_end(struct snapshot *);
void snapshot_content(struct snapshot *, const struct graph_content *); /* by ascending block */
void snapshot_end(struct snapshot *);

#endif
