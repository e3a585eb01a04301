/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/base/memory.h"
#include "dump/graph/show.h"

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 1000000 };

static size_t count_of(const char *text, const char *what) {
    size_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

static char *content_of(FILE *file) {
    size_t size = (size_t)ftell(file);
    char *text = memory_zeros(size + 1, 1);
    rewind(file);
    assert_int_equal(fread(text, 1, size, file), size);
    return text;
}

// Stacks may have any depth, also in a file, and the tree is as deep.
static void stacks_of_any_depth(void **state) {
    (void)state;
    char *way = memory_text("%*s", 2 * DEEP, "");
    for (size_t i = 0; i < DEEP; i++)
        memcpy(way + 2 * i, "f;", 2);
    way[2 * DEEP - 1] = '\0';
    struct graph_site site = {
        .function = GRAPH_NONE, .file = GRAPH_NONE, .module = GRAPH_NONE, .type = GRAPH_NONE};
    struct graph_stack stacks[2] = {{.way = 0}};
    struct graph_block blocks[2] = {{.address = 64, .size = 16}};
    struct graph_dominators dominators;
    uint32_t stack_of = 0;
    char buffer[4096];
    FILE *file = tmpfile();
    struct out out;
    const struct graph graph = {.texts = &way,
                                .text_count = 1,
                                .sites = &site,
                                .site_count = 1,
                                .stacks = stacks,
                                .stack_count = 1,
                                .stack_of = &stack_of,
                                .blocks = blocks,
                                .block_count = 1,
                                .head.program = GRAPH_NONE};
    graph_dominators_find(&dominators, &graph);
    out_open(&out, fileno(file), buffer, sizeof buffer);
    graph_show_heapsnapshot(&out, &graph, &dominators);
    assert_int_equal(out_flush(&out), 0);
    fseek(file, 0, SEEK_END);
    char *text = content_of(file);
    assert_int_equal(count_of(text, ",0,0,["), DEEP);
    assert_int_equal(count_of(text, ",1,16,[]"), 1);
    assert_int_equal(count_of(text, "["), count_of(text, "]"));
    graph_dominators_free(&dominators);
    fclose(file);
    free(text);
    free(way);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacks_of_any_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
