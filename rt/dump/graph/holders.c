/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who holds what, by type. */
#include "base/sort.h"
#include "dump/base/memory.h"
#include "dump/graph/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {[GRAPH_DATA] = "data",
                                    [GRAPH_STACK] = "stack",
                                    [GRAPH_REGISTER] = "register",
                                    [GRAPH_THREAD] = "thread-local memory",
                                    [GRAPH_LOADER] = "dynamic loader"};

void graph_root_name(char *text, size_t size, const struct graph *graph, const struct graph_root *root) {
    const char *variable = graph_text(graph, root->label);
    if (root->thread)
        snprintf(text, size, "%s of thread %u", kinds[root->kind], root->thread);
    else if (variable && root->offset)
        snprintf(text, size, "%s+%llu", variable, (unsigned long long)root->offset);
    else
        snprintf(text, size, "%s", variable ?: kinds[root->kind]);
}

/* A reference: pairs of the same holder, field and type stand together when they are sorted. */
struct reference {
    struct graph_holder of;
    uint32_t to;
};

struct references {
    struct reference *list;
    size_t count, room;
};

static void add(struct references *references, const struct graph *graph, const char *type,
                struct graph_holder of, uint32_t to) {
    of.to = graph_type_name(graph, to);
    if (type && strcmp(of.to, type) != 0)
        return;
    memory_grow(&references->list, references->count, &references->room, sizeof *references->list);
    references->list[references->count++] = (struct reference){of, to};
}

static void add_edges(struct references *references, const struct graph *graph, const char *type) {
    for (size_t i = 0; i < graph->block_count; i++) {
        const char *from = graph_type_name(graph, i);
        for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++)
            add(references, graph, type,
                (struct graph_holder){.from = from, .field = graph_text(graph, graph->edges[edge].label)},
                graph->edges[edge].to);
    }
}

static void add_roots(struct references *references, const struct graph *graph, const char *type) {
    for (size_t i = 0; i < graph->root_count; i++) {
        const struct graph_root *root = &graph->roots[i];
        add(references, graph, type,
            (struct graph_holder){
                .from = kinds[root->kind], .field = graph_text(graph, root->label), .is_root = true},
            root->to);
    }
}

static int by_holder(const struct graph_holder *left, const struct graph_holder *right) {
    return compare_text(left->to, right->to) ?: left->is_root - right->is_root
                                             ?: compare_text(left->from, right->from)
                                             ?: compare_text(left->field, right->field);
}

static int by_object(const void *a, const void *b) {
    const struct reference *left = a, *right = b;
    return by_holder(&left->of, &right->of) ?: compare_u64(left->to, right->to);
}

static int by_number(const void *a, const void *b) {
    const struct graph_holder *left = a, *right = b;
    return compare_u64(right->references, left->references) ?: by_holder(left, right);
}

static void sum_up(struct graph_holders *holders, const struct graph *graph,
                   const struct references *references) {
    for (size_t i = 0; i < references->count; i++) {
        const struct reference *reference = &references->list[i];
        bool is_new = !i || by_holder(&reference[-1].of, &reference->of) != 0;
        if (is_new) {
            memory_grow(&holders->list, holders->count, &holders->room, sizeof *holders->list);
            holders->list[holders->count++] = reference->of;
        }
        struct graph_holder *holder = &holders->list[holders->count - 1];
        holder->references++;
        if (is_new || reference[-1].to != reference->to) {
            holder->objects++;
            holder->bytes += graph_own(graph, reference->to);
        }
    }
}

void graph_holders_find(struct graph_holders *holders, const struct graph *graph, const char *type) {
    struct references references = {.count = 0};
    *holders = (struct graph_holders){.count = 0};
    add_edges(&references, graph, type);
    add_roots(&references, graph, type);
    if (references.count)
        qsort(references.list, references.count, sizeof *references.list, by_object);
    sum_up(holders, graph, &references);
    if (holders->count)
        qsort(holders->list, holders->count, sizeof *holders->list, by_number);
    free(references.list);
}

void graph_holders_free(struct graph_holders *holders) {
    free(holders->list);
}

/* ---- The edges of a graph backwards. */

void graph_back_make(struct graph_back *back, const struct graph *graph) {
    back->first = memory_zeros(graph->block_count + 1, sizeof *back->first);
    back->list = memory_zeros(graph->edge_count, sizeof *back->list);
    for (size_t i = 0; i < graph->edge_count; i++)
        back->first[graph->edges[i].to + 1]++;
    for (size_t i = 0; i < graph->block_count; i++)
        back->first[i + 1] += back->first[i];
    uint32_t *fill = memory_copy(back->first, (graph->block_count + 1) * sizeof *fill);
    for (uint32_t i = 0; i < graph->block_count; i++)
        for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++)
            back->list[fill[graph->edges[edge].to]++] = (struct graph_backward){i, edge};
    free(fill);
}

void graph_back_free(struct graph_back *back) {
    free(back->first);
    free(back->list);
}
