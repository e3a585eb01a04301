/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/capture/sites.h"

#include <cmocka.h>
#include <stdlib.h>

enum { BLOCKS = 4 };

/* Each block points to the next one. */
static size_t count_edges(uint64_t most, bool *is_whole) {
    static uint64_t words[2 * BLOCKS];
    struct heap_block all[BLOCKS];
    struct image_run run = {(uintptr_t)words, sizeof words, (char *)words, false};
    const struct image image = {.runs = &run, .count = 1};
    const struct heap heap = {.blocks = all, .count = BLOCKS};
    const struct block_type unknown = {.is_aligned = true};
    struct graph_block blocks[BLOCKS + 1] = {{0}};
    struct graph graph = {.blocks = blocks, .block_count = BLOCKS};
    struct finder finder;
    uint64_t before = graph_most;
    for (size_t i = 0; i < BLOCKS; i++) {
        all[i] = (struct heap_block){.start = (uintptr_t)&words[2 * i], .size = 16};
        blocks[i] = (struct graph_block){.address = all[i].start, .size = 16};
        words[2 * i] = (uintptr_t)&words[2 * (i + 1) % (2 * BLOCKS)];
    }
    finder_open(&finder, &heap, &image);
    graph_most = most;
    *is_whole = capture_edges(&graph, &finder, &unknown, NULL);
    graph_most = before;
    finder_close(&finder);
    free(graph.edges);
    return graph.edge_count;
}

static void there_are_no_more_edges_than_numbers(void **state) {
    bool is_whole;
    (void)state;
    assert_int_equal(count_edges(UINT32_MAX - 1, &is_whole), BLOCKS);
    assert_true(is_whole);
    assert_int_equal(count_edges(BLOCKS, &is_whole), BLOCKS);
    assert_true(is_whole);
    assert_int_equal(count_edges(BLOCKS - 1, &is_whole), BLOCKS - 1);
    assert_false(is_whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_are_no_more_edges_than_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
