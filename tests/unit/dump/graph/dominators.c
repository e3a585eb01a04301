/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/graph/graph.h"

#include "dump/base/memory.h"

#include <stdlib.h>

#include <cmocka.h>

enum { BLOCKS = 14 };

static uint32_t below(uint64_t *state, uint32_t limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % limit;
}

/* Sizes are powers of two, so a sum identifies its blocks. */
static void make(struct graph *graph, uint64_t *state) {
    *graph = (struct graph){.block_count = 1 + below(state, BLOCKS), .site_count = 1};
    graph->sites = memory_zeros(1, sizeof *graph->sites);
    graph->sites[0].type = GRAPH_NONE;
    graph->blocks = memory_zeros(graph->block_count + 1, sizeof *graph->blocks);
    for (uint32_t i = 0; i < graph->block_count; i++) {
        graph->blocks[i] = (struct graph_block){
            .address = 64 * (i + 1), .size = UINT64_C(1) << i, .edges = (uint32_t)graph->edge_count};
        for (uint32_t edges = below(state, 4); edges; edges--) {
            memory_grow(&graph->edges, graph->edge_count, &graph->edge_capacity, sizeof *graph->edges);
            graph->edges[graph->edge_count++] =
                (struct graph_edge){.to = below(state, (uint32_t)graph->block_count), .label = GRAPH_NONE};
        }
    }
    graph->blocks[graph->block_count].edges = (uint32_t)graph->edge_count;
    graph->root_count = below(state, 3);
    graph->roots = memory_zeros(graph->root_count, sizeof *graph->roots);
    for (size_t i = 0; i < graph->root_count; i++)
        graph->roots[i] =
            (struct graph_root){.to = below(state, (uint32_t)graph->block_count), .label = GRAPH_NONE};
}

/* Returns the sum of the sizes of the blocks that are reachable from roots without `without`. */
static uint64_t reached_without(const struct graph *graph, uint32_t without) {
    uint64_t reached = 0, before = UINT64_MAX;
    for (size_t i = 0; i < graph->root_count; i++)
        if (graph->roots[i].to != without)
            reached |= UINT64_C(1) << graph->roots[i].to;
    while (reached != before) {
        before = reached;
        for (uint32_t i = 0; i < graph->block_count; i++)
            for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++)
                if (reached >> i & 1 && graph->edges[edge].to != without)
                    reached |= UINT64_C(1) << graph->edges[edge].to;
    }
    return reached;
}

static void check(const struct graph *graph) {
    struct graph_dominators dominators;
    uint64_t reached = reached_without(graph, GRAPH_NONE), top = 0;
    graph_dominators_find(&dominators, graph);
    for (uint32_t i = 0; i < graph->block_count; i++) {
        assert_int_equal(dominators.is_leaked[i], !(reached >> i & 1));
        if (!dominators.is_leaked[i])
            assert_int_equal(dominators.retained[i], reached & ~reached_without(graph, i));
        top += dominators.dominator[i] == GRAPH_NONE ? dominators.retained[i] : 0;
    }
    assert_int_equal(top, (UINT64_C(1) << graph->block_count) - 1);
    graph_dominators_free(&dominators);
}

static void a_block_retains_blocks_reachable_only_through_it(void **state) {
    uint64_t random = 1;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct graph graph;
        make(&graph, &random);
        check(&graph);
        graph_free(&graph);
    }
}

/* A doubly linked list whose ends are both referred to. */
static void long_lists_take_no_square_of_time(void **state) {
    enum { LENGTH = 300000 };
    struct graph graph = {.block_count = LENGTH, .site_count = 1, .edge_count = 2 * LENGTH, .root_count = 2};
    struct graph_dominators dominators;
    (void)state;
    graph.sites = memory_zeros(1, sizeof *graph.sites);
    graph.blocks = memory_zeros(LENGTH + 1, sizeof *graph.blocks);
    graph.edges = memory_zeros(2 * LENGTH, sizeof *graph.edges);
    graph.roots = memory_zeros(2, sizeof *graph.roots);
    graph.roots[1].to = LENGTH - 1;
    for (uint32_t i = 0; i < LENGTH; i++) {
        graph.blocks[i] = (struct graph_block){.address = i, .size = 1, .edges = 2 * i};
        graph.edges[2 * i].to = i ? i - 1 : i;
        graph.edges[2 * i + 1].to = i + 1 < LENGTH ? i + 1 : i;
    }
    graph.blocks[LENGTH].edges = 2 * LENGTH;
    graph_dominators_find(&dominators, &graph);
    for (uint32_t i = 0; i < LENGTH; i++)
        assert_int_equal(dominators.retained[i], 1);
    graph_dominators_free(&dominators);
    graph_free(&graph);
}

static void written_data_is_read_back(void **state) {
    static char bytes[1 << 16];
    uint64_t random = 7;
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct graph graph, read;
        struct reason why;
        struct out out;
        make(&graph, &random);
        graph.head.program = GRAPH_NONE;
        graph.sites[0].function = graph.sites[0].file = graph.sites[0].module = GRAPH_NONE;
        out_open(&out, -1, bytes, sizeof bytes);
        graph_write(&out, &graph);
        assert_true(graph_read(&read, bytes, out.used, &why));
        assert_int_equal(read.edge_count, graph.edge_count);
        assert_memory_equal(read.blocks, graph.blocks, graph.block_count * sizeof *graph.blocks);
        assert_memory_equal(read.edges, graph.edges, graph.edge_count * sizeof *graph.edges);
        assert_memory_equal(read.roots, graph.roots, graph.root_count * sizeof *graph.roots);
        graph_free(&read);
        graph_free(&graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_retains_blocks_reachable_only_through_it),
        cmocka_unit_test(long_lists_take_no_square_of_time),
        cmocka_unit_test(written_data_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
