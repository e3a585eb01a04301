/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The heap as a graph: its vertices are blocks, its edges pointers between them. It holds what a snapshot
 * file has. Of the contents of blocks only pointers are known, and on request the beginning of
 * text. */
#ifndef ALLOCSITE_DUMP_GRAPH_GRAPH_H
#define ALLOCSITE_DUMP_GRAPH_GRAPH_H

#include "base/out.h"
#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_MAGIC   "ALSGRAPH"
#define GRAPH_VERSION 1

/* The file ends in FNV-1a of all bytes before. */
#define GRAPH_SUM_SIZE 8

/* The index of no string, site, stack or block. */
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
    X(interior) /* of both kinds: words that point into a block, not to its start */                         \
    X(in_union) /* of the named words: those in unions */                                                    \
    X(past_end) /* named pointers to the end of a block */                                                   \
    X(stale)    /* named pointers, not NULL, into memory of blocks but to no live one */                     \
    X(untyped)  /* of the unnamed words: those in blocks of unknown type */                                  \
    X(in_text)  /* of the other unnamed words: those where the type has text or small numbers */

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

/* Blocks between two updates of the progress display. */
#define GRAPH_STEP (1u << 16)

/* All zero: empty. */
struct graph {
    struct graph_head head;
    char **texts;
    size_t text_count;
    struct graph_site *sites;
    size_t site_count, site_capacity;
    struct graph_stack *stacks;
    size_t stack_count;
    struct graph_block *blocks; /* by ascending address, and a sentinel that ends the edges */
    uint32_t *stack_of;         /* stack of each block; GRAPH_NONE: unknown; NULL: no stacks */
    size_t block_count;
    struct graph_edge *edges;
    size_t edge_count, edge_capacity;
    struct graph_root *roots;
    size_t root_count, root_capacity;
    struct graph_content *contents; /* by ascending block */
    size_t content_count, content_capacity;
};

void graph_free(struct graph *);

/* Limit of the numbers of blocks and of edges, which have 32 bits each. Tests lower it. */
extern uint64_t graph_most;

/* Sets *why to "too many" and returns false. */
bool graph_is_full(struct reason *why);

/* NULL: none. */
static inline const char *graph_text(const struct graph *graph, uint32_t text) {
    return text == GRAPH_NONE ? NULL : graph->texts[text];
}

static inline const struct graph_site *graph_site_of(const struct graph *graph, size_t block) {
    return &graph->sites[graph->blocks[block].site];
}

/* The call path of the block's allocation, "main;load;parse"; NULL: unknown. */
static inline const char *graph_way_of(const struct graph *graph, size_t block) {
    uint32_t stack = graph->stack_of ? graph->stack_of[block] : GRAPH_NONE;
    return stack == GRAPH_NONE ? NULL : graph_text(graph, graph->stacks[stack].way);
}

static inline const char *graph_type_of(const struct graph *graph, size_t block) {
    return graph_text(graph, graph_site_of(graph, block)->type);
}

/* The beginning of the text in a block; NULL: unknown. */
const char *graph_content_of(const struct graph *, size_t block);

/* The bytes that sums count for a block. */
static inline uint64_t graph_self(const struct graph *graph, size_t block) {
    return graph_site_of(graph, block)->is_uncounted ? 0 : graph->blocks[block].size;
}

/* ---- The snapshot file: allocsite-graph(5). Numbers are LEB128: seven bits per byte, lowest first.
 * Addresses are written as differences, which take a byte or two. */

void graph_write(struct out *, const struct graph *);

/* The bytes may be damaged or hostile. False: *why has the reason, and there is nothing to free. */
bool graph_read(struct graph *, const char *bytes, size_t size, struct reason *why);

/* ---- Dominators. The retained size of a block is the bytes that freeing it would release: the block and all
 * blocks that it dominates. The algorithm is the simple variant of T. Lengauer and R. E. Tarjan, A Fast
 * Algorithm for Finding Dominators in a Flowgraph, ACM TOPLAS 1 (1), 1979. The iteration of Cooper, Harvey
 * and Kennedy is shorter but takes quadratic time on doubly linked lists. */

struct graph_dominators {
    uint32_t *order;     /* blocks, each after its dominator */
    uint32_t *dominator; /* immediate dominator of each block; GRAPH_NONE: none */
    uint64_t *retained;  /* bytes of each block and all blocks that it dominates */
    bool *is_leaked;     /* reached from no root */
};

/* The roots of leaked blocks are those that no leaked block points to, and one block of each other cycle. */
void graph_dominators_find(struct graph_dominators *, const struct graph *);
void graph_dominators_free(struct graph_dominators *);

/* ---- Sums over the blocks by type, site or call path: number, self, retained and reachable bytes; and
 * holders of a type. */

enum graph_by { GRAPH_BY_TYPE, GRAPH_BY_SITE, GRAPH_BY_STACK };

struct graph_row {
    const char *name;  /* type of the site */
    uint32_t site;     /* one of its sites */
    const char *place; /* source location, only of shown rows and not by type */
    const char *way;   /* call path, by stack; NULL: unknown */
    uint32_t number;   /* index before sorting */
    uint64_t objects, self;
    uint64_t retained; /* retained bytes; a block nested in one of the same row is not counted twice */
    uint64_t deep;     /* bytes reachable from the row's blocks, these included, each block once */
    uint64_t leaked, leaked_bytes;
};

struct graph_sums {
    struct graph_row *rows; /* by descending retained bytes */
    size_t count, capacity;
    uint32_t *row_of; /* row of each block */
    struct graph_row total;
    uint64_t typed, ambiguous; /* bytes of blocks with a type, and with one of several types */
    struct string_pool places;
};

/* The name of the missing type. */
#define GRAPH_NO_TYPE "[no type]"

const char *graph_type_name(const struct graph *, size_t block);

/* "users.next", or "+24" */
void graph_edge_write(struct out *, const struct graph *, const struct graph_edge *);

/* "file.c:12 function" */
void graph_site_write(struct out *, const struct graph *, const struct graph_site *);

/* deep: also compute reachable bytes, which takes one walk per shown row. */
void graph_sums_make(struct graph_sums *, const struct graph *, const struct graph_dominators *,
                     enum graph_by, size_t shown, bool deep);
void graph_sums_free(struct graph_sums *);

/* ---- Types that the user names. */

/* For each site of the graph, whether its type matches a name or pattern. */
struct graph_asked {
    bool *sites;
    const char *type; /* the first match; NULL: none */
    bool is_several;
};

void graph_asked_find(struct graph_asked *, const struct graph *, const char *asked);
void graph_asked_free(struct graph_asked *);

/* ---- Holders, by type. */

struct graph_holder {
    const char *from; /* a type, or the kind of root */
    const char *field;
    const char *to;
    bool is_root;
    uint64_t references, objects, bytes; /* objects: number of distinct objects pointed to; bytes: their own
                                          * bytes */
};

struct graph_holders {
    struct graph_holder *list; /* by descending references */
    size_t count, capacity;
};

/* The holders of objects of these types; NULL: of all objects. */
void graph_holders_find(struct graph_holders *, const struct graph *, const struct graph_asked *);

/* Orders holders by the type that they hold, then by their own type. */
int graph_holder_compare(const struct graph_holder *, const struct graph_holder *);
void graph_holders_free(struct graph_holders *);

/* A readable name of a root: "session", "stack of thread 12". */
void graph_root_name(char *text, size_t size, const struct graph *, const struct graph_root *);

/* ---- The edges of a graph reversed. */

struct graph_back {
    uint32_t *first; /* index of each block's first edge, and a sentinel */
    struct graph_backward {
        uint32_t from, edge;
    } * list;
};

void graph_back_make(struct graph_back *, const struct graph *);
void graph_back_free(struct graph_back *);

#endif
