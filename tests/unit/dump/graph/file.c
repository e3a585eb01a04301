/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/graph/graph.h"

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 3, EDGES = 4 };

static char bytes[4096];
static size_t size;

static void write_some(void) {
    static struct graph_site site;
    static struct graph_block blocks[BLOCKS + 1] = {{64, 16, 0, 0}, {128, 16, 0, 2}, {256, 16, 0, 3}, {0}};
    static struct graph_edge edges[EDGES];
    char buffer[256];
    FILE *file = tmpfile();
    struct out out;
    site = (struct graph_site){
        .function = GRAPH_NONE, .file = GRAPH_NONE, .module = GRAPH_NONE, .type = GRAPH_NONE};
    for (size_t i = 0; i < EDGES; i++)
        edges[i] =
            (struct graph_edge){.to = i % BLOCKS, .label = GRAPH_NONE, .offset = 8 * (uint32_t)(i % 2)};
    blocks[BLOCKS].edges = EDGES;
    const struct graph graph = {.sites = &site,
                                .site_count = 1,
                                .blocks = blocks,
                                .block_count = BLOCKS,
                                .edges = edges,
                                .edge_count = EDGES,
                                .head.program = GRAPH_NONE};
    out_open(&out, fileno(file), buffer, sizeof buffer);
    graph_write(&out, &graph);
    assert_int_equal(out_flush(&out), 0);
    rewind(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
}

/* Returns whether a file is read with at most `most` blocks and edges. */
static bool is_read(uint64_t most, struct reason *why) {
    struct graph graph;
    uint64_t before = graph_most;
    graph_most = most;
    bool is_done = graph_read(&graph, bytes, size, why);
    graph_most = before;
    if (is_done) {
        assert_int_equal(graph.block_count, BLOCKS);
        assert_int_equal(graph.edge_count, EDGES);
        graph_free(&graph);
    }
    return is_done;
}

static void missing_numbers_are_reported(void **state) {
    struct reason why;
    (void)state;
    write_some();
    assert_true(is_read(UINT32_MAX - 1, &why));
    assert_true(is_read(EDGES, &why));
    assert_false(is_read(EDGES - 1, &why));
    assert_string_equal(why.text, "has more than 3 blocks or references, the limit");
    assert_false(is_read(BLOCKS - 1, &why));
    assert_string_equal(why.text, "has more than 2 blocks or references, the limit");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(missing_numbers_are_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
