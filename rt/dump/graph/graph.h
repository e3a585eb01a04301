/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The heap as a graph: blocks, and which of them point to which. What stands behind is what a snapshot file
 * has (snapshot/snapshot.h); it has no contents of blocks but where they point to. */
#ifndef ALLOCSITE_DUMP_GRAPH_GRAPH_H
#define ALLOCSITE_DUMP_GRAPH_GRAPH_H

#include "dump/base/terminal.h"
#include "snapshot/snapshot.h"

#include <stddef.h>

/* How far has been gone is told after so many blocks. */
#define GRAPH_STEP (1u << 16)

/* All zero: empty. */
struct graph {
    struct graph_head head;
    char **texts;
    size_t text_count;
    struct graph_module *modules; /* of a graph whose fields have no names yet */
    size_t module_count;
    struct graph_site *sites;
    size_t site_count, site_room;
    struct graph_stack *stacks; /* with one more at the end for its calls */
    size_t stack_count;
    struct graph_call *calls; /* of a graph whose stacks have no names yet */
    size_t call_count, call_room;
    struct graph_block *blocks; /* by rising address, with one more at the end for its edges */
    uint32_t *stack_of;         /* of each block its stack; none: not known; NULL: there are no stacks */
    size_t block_count;
    struct graph_edge *edges;
    size_t edge_count, edge_room;
    struct graph_root *roots;
    size_t root_count, root_room;
    struct graph_frame *frames; /* of a graph whose roots have no names yet */
    size_t frame_count, frame_room;
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

#endif
