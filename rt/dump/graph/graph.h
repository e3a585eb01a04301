/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The heap as a graph: blocks, and which of them point to which. What stands behind is what a snapshot file
 * has (snapshot.h); it has no contents of blocks but where they point to. */
#ifndef ALLOCSITE_DUMP_GRAPH_GRAPH_H
#define ALLOCSITE_DUMP_GRAPH_GRAPH_H

#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"
#include "dump/graph/snapshot.h"

#include <stddef.h>

/* How far has been gone is told after so many blocks. */
#define GRAPH_STEP (1u << 16)

/* All zero: empty. */
struct graph {
    struct graph_head head;
    char **texts;
    size_t text_count;
    struct graph_site *sites;
    size_t site_count, site_room;
    struct graph_stack *stacks;
    size_t stack_count;
    struct graph_block *blocks; /* by rising address, with one more at the end for its edges */
    uint32_t *stack_of;         /* of each block its stack; none: not known; NULL: there are no stacks */
    size_t block_count;
    struct graph_edge *edges;
    size_t edge_count, edge_room;
    struct graph_root *roots;
    size_t root_count, root_room;
    struct graph_content *contents; /* by rising block */
    size_t content_count, content_room;
};

void graph_free(struct graph *);

/* Blocks and edges have numbers of 32 bits: there are no more of each. Tests set less. */
extern uint64_t graph_most;

/* Always false: *why says that there are more. */
bool graph_is_full(struct reason *why);

/* NULL: none. */
static inline const char *graph_text(const struct graph *graph, uint32_t text) {
    return text == GRAPH_NONE ? NULL : graph->texts[text];
}

static inline const struct graph_site *graph_site_of(const struct graph *graph, size_t block) {
    return &graph->sites[graph->blocks[block].site];
}

/* Where it was allocated from, "main;load;parse"; NULL: not known. */
static inline const char *graph_way_of(const struct graph *graph, size_t block) {
    uint32_t stack = graph->stack_of ? graph->stack_of[block] : GRAPH_NONE;
    return stack == GRAPH_NONE ? NULL : graph_text(graph, graph->stacks[stack].way);
}

static inline const char *graph_type_of(const struct graph *graph, size_t block) {
    return graph_text(graph, graph_site_of(graph, block)->type);
}

/* How the text in a block begins; NULL: not known. */
const char *graph_content_of(const struct graph *, size_t block);

/* What of a block counts in sums. */
static inline uint64_t graph_own(const struct graph *graph, size_t block) {
    return graph_site_of(graph, block)->is_uncounted ? 0 : graph->blocks[block].size;
}

/* ---- The snapshot file: allocsite-graph(5). */

void graph_write(struct out *, const struct graph *);

/* The bytes may be damaged or hostile. False: *why says what is wrong, and there is nothing to free. */
bool graph_read(struct graph *, const char *bytes, size_t size, struct reason *why);

/* ---- What would go if a block went: it and all that only it leads to. That are the blocks that it
 * dominates, after T. Lengauer and R. E. Tarjan, A Fast Algorithm for Finding Dominators in a Flowgraph, ACM
 * TOPLAS 1 (1), 1979, the simple variant; Cooper, Harvey and Kennedy's iteration, which is shorter, takes the
 * square of the number of elements for a list that is linked both ways. */

struct graph_dominators {
    uint32_t *order;     /* blocks, in an order in which each comes behind its dominator */
    uint32_t *dominator; /* of each block the next one around; GRAPH_NONE: none */
    uint64_t *retained;  /* bytes of each block and all that it dominates */
    bool *is_lost;       /* no root leads to the block */
};

/* Lost blocks hang on those of them that nothing lost holds, or on one of each such cycle. */
void graph_dominators_find(struct graph_dominators *, const struct graph *);
void graph_dominators_free(struct graph_dominators *);

/* ---- The blocks of a graph by type, by site or by where that was called from: how many, their own bytes,
 * what only they hold, what they lead to; and who holds those of a type. */

enum graph_by { GRAPH_BY_TYPE, GRAPH_BY_SITE, GRAPH_BY_STACK };

struct graph_row {
    const char *name;  /* of a site its type */
    uint32_t site;     /* one of its sites */
    const char *place; /* of the site, of rows that are shown, unless they are by type */
    const char *way;   /* by stack; NULL: not known */
    uint32_t number;   /* before they are sorted */
    uint64_t objects, own;
    uint64_t retained; /* bytes that would go with them, each at least once held by one of them alone */
    uint64_t deep;     /* bytes that can be reached from them, themselves with that, none twice */
    uint64_t lost, lost_bytes;
};

struct graph_sums {
    struct graph_row *rows; /* with most retained bytes first */
    size_t count, room;
    uint32_t *row_of; /* of each block */
    struct graph_row total;
    uint64_t typed, ambiguous; /* bytes of blocks that have a type, or one of several */
    struct string_pool places;
};

/* What a type is called if there is none. */
#define GRAPH_NO_TYPE "[no type]"

const char *graph_type_name(const struct graph *, size_t block);

/* "users.next", or "+24" */
void graph_edge_write(struct out *, const struct graph *, const struct graph_edge *);

/* "file.c:12 function" */
void graph_site_write(struct out *, const struct graph *, const struct graph_site *);

/* deep: whether it is wanted: that takes as many walks as there are rows that are shown. */
void graph_sums_make(struct graph_sums *, const struct graph *, const struct graph_dominators *,
                     enum graph_by, size_t shown, bool deep);
void graph_sums_free(struct graph_sums *);

/* ---- Types that are asked for. */

/* Whether the name is the type's as a report shows it or as a person writes it, or a pattern of it. */
bool graph_is_type(const char *type, const char *asked);

/* The types that a name or a pattern asks for: of each site of the graph whether its type is one of them. */
struct graph_asked {
    bool *sites;
    const char *type; /* the first one; NULL: there is none */
    bool is_several;
};

void graph_asked_find(struct graph_asked *, const struct graph *, const char *asked);
void graph_asked_free(struct graph_asked *);

/* ---- Who holds what, by type. */

struct graph_holder {
    const char *from; /* a type, or what kind of root */
    const char *field;
    const char *to;
    bool is_root;
    uint64_t references, objects, bytes; /* objects: that are pointed to, and their own bytes */
};

struct graph_holders {
    struct graph_holder *list; /* with most references first */
    size_t count, room;
};

/* Those of objects of these types; NULL: of all. */
void graph_holders_find(struct graph_holders *, const struct graph *, const struct graph_asked *);

/* By what they hold, then by what they are. */
int graph_holder_compare(const struct graph_holder *, const struct graph_holder *);
void graph_holders_free(struct graph_holders *);

/* A root as people know it: "session", "stack of thread 12". */
void graph_root_name(char *text, size_t size, const struct graph *, const struct graph_root *);

/* ---- The edges of a graph backwards. */

struct graph_back {
    uint32_t *first; /* of each block, and one more */
    struct graph_backward {
        uint32_t from, edge;
    } * list;
};

void graph_back_make(struct graph_back *, const struct graph *);
void graph_back_free(struct graph_back *);

#endif
