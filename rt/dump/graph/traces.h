/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the blocks of a graph were allocated, as a tree of functions from the program's first one on. Its
 * leaves are sites; where it is not known who called them, they hang on the root. */
#ifndef ALLOCSITE_DUMP_GRAPH_TRACES_H
#define ALLOCSITE_DUMP_GRAPH_TRACES_H

#include "dump/graph/graph.h"

struct trace_function {
    uint32_t name, file;   /* numbers of texts; of the file 0: not known */
    uint32_t line, column; /* of a site; 0: of all others */
};

struct trace_node {
    uint32_t parent, function;
    uint64_t count, size;          /* of the blocks that were allocated there, themselves alone */
    uint32_t first_child, sibling; /* 0: none */
};

struct traces {
    struct string_pool texts; /* 0 is empty */
    struct hash_index function_index, node_index;
    struct trace_function *functions; /* 0 is the root's */
    struct trace_node *nodes;         /* 0 is the root */
    size_t function_count, function_room, node_count, node_room;
    uint32_t *node_of; /* of each block */
};

void traces_make(struct traces *, const struct graph *);
void traces_free(struct traces *);

#endif
