/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths of the blocks of a graph as a tree of functions, starting at the program's first one. Leaves are
 * sites. A site without a known call path is a child of the root. */
#ifndef ALLOCSITE_DUMP_GRAPH_TRACES_H
#define ALLOCSITE_DUMP_GRAPH_TRACES_H

#include "dump/graph/graph.h"

struct trace_function {
    uint32_t name, file;   /* numbers of strings; file 0: unknown */
    uint32_t line, column; /* of a site; 0: of any other function */
};

struct trace_node {
    uint32_t parent, function;
    uint64_t count, size;          /* blocks allocated here, without children, and their bytes */
    uint32_t first_child, sibling; /* 0: none */
};

struct traces {
    struct string_pool texts; /* 0 is empty */
    struct hash_index function_index, node_index;
    struct trace_function *functions; /* 0 is the root's */
    struct trace_node *nodes;         /* 0 is the root */
    size_t function_count, function_capacity, node_count, node_capacity;
    uint32_t *node_of; /* node of each block */
};

void traces_make(struct traces *, const struct graph *);
void traces_free(struct traces *);

#endif
