/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What would go if a block went: it and all that only it leads to. That are the blocks that it dominates,
 * after T. Lengauer and R. E. Tarjan, A Fast Algorithm for Finding Dominators in a Flowgraph, ACM TOPLAS 1
 * (1), 1979, the simple variant; Cooper, Harvey and Kennedy's iteration, which is shorter, takes the square
 * of the number of elements for a list that is linked both ways. */
#ifndef ALLOCSITE_DUMP_GRAPH_DOMINATORS_H
#define ALLOCSITE_DUMP_GRAPH_DOMINATORS_H

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

#endif
