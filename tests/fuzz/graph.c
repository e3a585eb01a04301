/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a heap snapshot and prints all its reports. The checksum at its end is corrected first, so that
 * altered inputs are read. */
#include "fuzz.h"

#include "base/hash.h"
#include "dump/graph/show.h"

#include <stdlib.h>
#include <string.h>

static void show(const struct graph *graph) {
    struct graph_dominators dominators;
    struct graph_sums sums;
    struct out out = fuzz_out();
    graph_dominators_find(&dominators, graph);
    for (int format = GRAPH_TEXT; format <= GRAPH_MARKDOWN; format++) {
        graph_sums_make(&sums, graph, &dominators, (enum graph_by)(format % 3), 20, true);
        graph_show_sums(&out, graph, &sums, sums.count, (enum graph_by)(format % 3),
                        (enum graph_format)format);
        graph_show_counts(&out, &sums);
        graph_sums_free(&sums);
    }
    graph_show_heapsnapshot(&out, graph, &dominators);
    graph_dominators_free(&dominators);
    const char *type = graph->block_count ? graph_type_name(graph, 0) : "";
    for (int format = GRAPH_TEXT; format <= GRAPH_DOT; format++)
        graph_show_holders(&out, graph, type, 20, 5, (enum graph_format)format);
    graph_show_objects(&out, graph, type, 5, 10, false);
    graph_show_why(&out, graph, type, 3);
    graph_show_dump(&out, graph, true);
    graph_show_edges(&out, graph);
    graph_show_growth(&out, graph, graph, 20, GRAPH_JSON);
    graph_write(&out, graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct graph graph;
    struct reason why;
    char *bytes = malloc(size + 1);
    memcpy(bytes, data, size);
    uint64_t sum = size < GRAPH_SUM_SIZE ? 0 : fnv_1a(bytes, size - GRAPH_SUM_SIZE);
    if (size >= GRAPH_SUM_SIZE)
        memcpy(bytes + size - GRAPH_SUM_SIZE, &sum, GRAPH_SUM_SIZE);
    if (graph_read(&graph, bytes, size, &why)) {
        show(&graph);
        graph_free(&graph);
    }
    free(bytes);
    return 0;
}
