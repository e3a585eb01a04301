/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What would go if a block went: it and all that only it leads to. That are the blocks that it dominates,
 * after T. Lengauer and R. E. Tarjan, A Fast Algorithm for Finding Dominators in a Flowgraph, ACM TOPLAS 1
 * (1), 1979, the simple variant; Cooper, Harvey and Kennedy's iteration, which is shorter, takes the square
 * of the number of elements for a list that is linked both ways. */
#ifndef ALLOCSITE_DUMP_GRAPH_SUMS_H
#define ALLOCSITE_DUMP_GRAPH_SUMS_H

#include "dump/base/hash_index.h"
#include "dump/graph/graph.h"

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
    const char *name; /* of a site its type */
    uint32_t site;    /* one of its sites */
    const char *way;  /* by stack; NULL: not known */
    uint32_t number;  /* before they are sorted */
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

/* Those of objects of the type; NULL: of all. */
void graph_holders_find(struct graph_holders *, const struct graph *, const char *type);

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
