/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds the tree of the call paths at which the blocks of a graph were allocated. */
#include "dump/graph/traces.h"

#include "base/path.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_function(const void *key, const void *context, size_t element) {
    return memcmp(&((const struct traces *)context)->functions[element], key,
                  sizeof(struct trace_function)) == 0;
}

static uint32_t function_of(struct traces *traces, struct trace_function function) {
    struct elements functions = {&traces->functions, &traces->function_count, &traces->function_capacity,
                                 sizeof function};
    return (uint32_t)hash_keep(&traces->function_index, hash_bytes(0, &function, sizeof function),
                               is_function, &function, traces, functions);
}

static bool is_node(const void *key, const void *context, size_t element) {
    const struct trace_node *node = &((const struct traces *)context)->nodes[element], *asked = key;
    return node->parent == asked->parent && node->function == asked->function && element;
}

static uint32_t child_of(struct traces *traces, uint32_t parent, uint32_t function) {
    struct trace_node node = {.parent = parent, .function = function};
    struct elements nodes = {&traces->nodes, &traces->node_count, &traces->node_capacity, sizeof node};
    size_t count = traces->node_count;
    uint32_t number = (uint32_t)hash_keep(&traces->node_index, hash_number(parent, function), is_node, &node,
                                          traces, nodes);
    if (traces->node_count > count) {
        traces->nodes[number].sibling = traces->nodes[parent].first_child;
        traces->nodes[parent].first_child = number;
    }
    return number;
}

/* Excludes the last function, the site's: the site itself has more details. */
static uint32_t callers_of(struct traces *traces, const char *way) {
    uint32_t node = 0;
    char *names = memory_text("%s", way ?: ""), *remaining = names;
    for (char *end; (end = strchr(remaining, ';')); remaining = end + 1) {
        *end = '\0';
        struct trace_function function = {.name = (uint32_t)string_number(&traces->texts, remaining)};
        node = child_of(traces, node, function_of(traces, function));
    }
    free(names);
    return node;
}

static uint32_t function_of_site(struct traces *traces, const struct graph *graph,
                                 const struct graph_site *site) {
    const char *function = graph_text(graph, site->function), *module = graph_text(graph, site->module),
               *file = graph_text(graph, site->file);
    const char *name = function ?: module ? path_base(module) : "?";
    return function_of(traces,
                       (struct trace_function){.name = (uint32_t)string_number(&traces->texts, name),
                                               .file = (uint32_t)string_number(&traces->texts, file ?: ""),
                                               .line = site->line,
                                               .column = site->column});
}

static void add_blocks(struct traces *traces, const struct graph *graph, const uint32_t *callers,
                       const uint32_t *sites) {
    traces->node_of = memory_zeros(graph->block_count, sizeof *traces->node_of);
    for (size_t i = 0; i < graph->block_count; i++) {
        uint32_t stack = graph->stack_of ? graph->stack_of[i] : GRAPH_NONE;
        uint32_t node =
            child_of(traces, stack == GRAPH_NONE ? 0 : callers[stack], sites[graph->blocks[i].site]);
        traces->nodes[node].count++;
        traces->nodes[node].size += graph_self(graph, i);
        traces->node_of[i] = node;
    }
}

void traces_make(struct traces *traces, const struct graph *graph) {
    uint32_t *callers = memory_zeros(graph->stack_count, sizeof *callers),
             *sites = memory_zeros(graph->site_count, sizeof *sites);
    *traces = (struct traces){.node_of = NULL};
    string_number(&traces->texts, "");
    function_of(traces, (struct trace_function){.name = (uint32_t)string_number(&traces->texts, "(root)")});
    child_of(traces, 0, 0);
    for (size_t i = 0; i < graph->stack_count; i++)
        callers[i] = callers_of(traces, graph_text(graph, graph->stacks[i].way));
    for (size_t i = 0; i < graph->site_count; i++)
        sites[i] = function_of_site(traces, graph, &graph->sites[i]);
    add_blocks(traces, graph, callers, sites);
    free(callers);
    free(sites);
}

void traces_free(struct traces *traces) {
    string_pool_free(&traces->texts);
    hash_free(&traces->function_index);
    hash_free(&traces->node_index);
    free(traces->functions);
    free(traces->nodes);
    free(traces->node_of);
}
