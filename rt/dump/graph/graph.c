/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The heap as a graph. */
#include "dump/graph/graph.h"

#include "base/sort.h"

#include <stdlib.h>

void graph_free(struct graph *graph) {
    for (size_t i = 0; i < graph->text_count; i++)
        free(graph->texts[i]);
    free(graph->texts);
    free(graph->sites);
    free(graph->blocks);
    free(graph->edges);
    free(graph->roots);
}

size_t graph_find(const struct graph *graph, uint64_t address) {
    size_t behind = sorted_up_to(graph->blocks, graph->block_count, sizeof *graph->blocks,
                                 offsetof(struct graph_block, address), address);
    if (!behind)
        return graph->block_count;
    const struct graph_block *block = &graph->blocks[behind - 1];
    bool is_in = address == block->address || address - block->address < block->size;
    return is_in ? behind - 1 : graph->block_count;
}
