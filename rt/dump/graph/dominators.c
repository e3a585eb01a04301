/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The dominator tree. A vertex is a block's number in depth-first order, from 1 on. Vertex 0 is a virtual
 * root that points to all roots. */
#include "dump/graph/graph.h"

#include "dump/base/memory.h"
#include "dump/base/terminal.h"

#include <stdlib.h>

struct search {
    const struct graph *graph;
    uint32_t *number;         /* vertex of each block; 0: not visited */
    uint32_t *block, *parent; /* of each vertex */
    uint32_t *stack, *next;   /* blocks on the current path, and their next edges */
    uint32_t count;           /* vertices without 0 */
};

static void enter_block(struct search *search, uint32_t *depth, uint32_t block, uint32_t parent) {
    uint32_t vertex = ++search->count;
    search->number[block] = vertex;
    search->block[vertex] = block;
    search->parent[vertex] = parent;
    search->stack[*depth] = block;
    search->next[*depth] = search->graph->blocks[block].edges;
    ++*depth;
}

typedef void finished(void *context, uint32_t block);

static void visit_from(struct search *search, uint32_t from, finished *finish, void *context) {
    uint32_t depth = 0;
    if (search->number[from])
        return;
    enter_block(search, &depth, from, 0);
    while (depth) {
        uint32_t block = search->stack[depth - 1];
        if (search->next[depth - 1] == search->graph->blocks[block + 1].edges) {
            depth--;
            if (finish)
                finish(context, block);
            continue;
        }
        uint32_t to = search->graph->edges[search->next[depth - 1]++].to;
        if (!search->number[to])
            enter_block(search, &depth, to, search->number[block]);
    }
}

static void search_open(struct search *search, const struct graph *graph) {
    size_t count = graph->block_count;
    *search = (struct search){.graph = graph};
    search->number = memory_zeros(count, sizeof *search->number);
    search->block = memory_zeros(count + 1, sizeof *search->block);
    search->parent = memory_zeros(count + 1, sizeof *search->parent);
    search->stack = memory_zeros(count, sizeof *search->stack);
    search->next = memory_zeros(count, sizeof *search->next);
}

static void search_close(struct search *search) {
    free(search->number);
    free(search->block);
    free(search->parent);
    free(search->stack);
    free(search->next);
}

static void visit_roots(struct search *search) {
    for (size_t i = 0; i < search->graph->root_count; i++)
        visit_from(search, search->graph->roots[i].to, NULL, NULL);
}

/* ---- Leaked blocks. */

struct finish_order {
    uint32_t *blocks;
    size_t count;
};

static void note_finished(void *context, uint32_t block) {
    struct finish_order *order = context;
    order->blocks[order->count++] = block;
}

/* Visits leaked blocks in reverse finishing order: among the blocks that are not visited yet, take the block
 * that finished last. Every such block that reaches it is also reached by it. */
static void visit_leaked(struct search *search, bool *is_leaked) {
    const struct graph *graph = search->graph;
    struct finish_order order = {memory_zeros(graph->block_count, sizeof *order.blocks), 0};
    struct search first;
    search_open(&first, graph);
    for (uint32_t i = 0; i < graph->block_count; i++) {
        is_leaked[i] = !search->number[i];
        first.number[i] = search->number[i];
    }
    for (uint32_t i = 0; i < graph->block_count; i++)
        visit_from(&first, i, note_finished, &order);
    while (order.count)
        visit_from(search, order.blocks[--order.count], NULL, NULL);
    search_close(&first);
    free(order.blocks);
}

/* ---- Lengauer and Tarjan's semidominators. */

struct forest {
    const struct search *search;
    const bool *is_leaked;
    uint32_t *semi, *ancestor, *best, *dominator;
    uint32_t *bucket, *next;   /* first vertex of each bucket, and the next one in it; 0: none */
    uint32_t *first, *holders; /* the vertices with an edge to each vertex */
    uint32_t *path;
};

static void forest_compress(struct forest *forest, uint32_t vertex) {
    uint32_t depth = 0;
    for (; forest->ancestor[forest->ancestor[vertex]]; vertex = forest->ancestor[vertex])
        forest->path[depth++] = vertex;
    while (depth) {
        uint32_t at = forest->path[--depth], above = forest->ancestor[at];
        if (forest->semi[forest->best[above]] < forest->semi[forest->best[at]])
            forest->best[at] = forest->best[above];
        forest->ancestor[at] = forest->ancestor[above];
    }
}

static uint32_t forest_evaluate(struct forest *forest, uint32_t vertex) {
    if (!forest->ancestor[vertex])
        return vertex;
    forest_compress(forest, vertex);
    return forest->best[vertex];
}

static void empty_bucket(struct forest *forest, uint32_t parent) {
    uint32_t vertex = forest->bucket[parent], next;
    for (; vertex; vertex = next) {
        uint32_t best = forest_evaluate(forest, vertex);
        next = forest->next[vertex];
        forest->dominator[vertex] = forest->semi[best] < forest->semi[vertex] ? best : parent;
    }
    forest->bucket[parent] = 0;
}

/* Vertices are numbered one higher here, because ancestor 0 means none: the virtual root is 1. */
static void find_semidominator(struct forest *forest, uint32_t vertex) {
    uint32_t parent = forest->search->parent[vertex - 1] + 1;
    for (uint32_t i = forest->first[vertex]; i < forest->first[vertex + 1]; i++) {
        uint32_t best = forest_evaluate(forest, forest->holders[i]);
        if (forest->semi[best] < forest->semi[vertex])
            forest->semi[vertex] = forest->semi[best];
    }
    forest->next[vertex] = forest->bucket[forest->semi[vertex]];
    forest->bucket[forest->semi[vertex]] = vertex;
    forest->ancestor[vertex] = parent;
    empty_bucket(forest, parent);
}

static uint32_t vertex_of(const struct forest *forest, size_t block) {
    return forest->search->number[block] + 1;
}

/* A leaked block does not retain reachable ones. */
static bool forest_retains(const struct forest *forest, size_t from, uint32_t to) {
    return !forest->is_leaked[from] || forest->is_leaked[to];
}

static void count_holders(struct forest *forest, const bool *is_root) {
    const struct graph *graph = forest->search->graph;
    for (size_t i = 0; i < graph->block_count; i++) {
        forest->first[vertex_of(forest, i) + 1] += is_root[i];
        for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++)
            forest->first[vertex_of(forest, graph->edges[edge].to) + 1] +=
                forest_retains(forest, i, graph->edges[edge].to);
    }
    for (size_t i = 1; i < graph->block_count + 3; i++)
        forest->first[i] += forest->first[i - 1];
}

static void list_holders(struct forest *forest, const bool *is_root) {
    const struct graph *graph = forest->search->graph;
    uint32_t *fill = memory_copy(forest->first, (graph->block_count + 3) * sizeof *fill);
    for (size_t i = 0; i < graph->block_count; i++) {
        if (is_root[i])
            forest->holders[fill[vertex_of(forest, i)]++] = 1;
        for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++)
            if (forest_retains(forest, i, graph->edges[edge].to))
                forest->holders[fill[vertex_of(forest, graph->edges[edge].to)]++] = vertex_of(forest, i);
    }
    free(fill);
}

/* True for the targets of roots and the leaked blocks at which the search started. */
static bool *mark_roots(const struct search *search) {
    const struct graph *graph = search->graph;
    bool *is_root = memory_zeros(graph->block_count, sizeof *is_root);
    for (size_t i = 0; i < graph->root_count; i++)
        is_root[graph->roots[i].to] = true;
    for (uint32_t vertex = 1; vertex <= search->count; vertex++)
        if (!search->parent[vertex])
            is_root[search->block[vertex]] = true;
    return is_root;
}

static void forest_open(struct forest *forest, const struct search *search, const bool *is_leaked) {
    size_t count = search->graph->block_count + 3;
    bool *is_root = mark_roots(search);
    *forest = (struct forest){.search = search, .is_leaked = is_leaked};
    uint32_t **arrays[] = {&forest->semi,   &forest->ancestor, &forest->best,  &forest->dominator,
                           &forest->bucket, &forest->next,     &forest->first, &forest->path};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = memory_zeros(count, sizeof **arrays[i]);
    forest->holders = memory_zeros(search->graph->edge_count + count, sizeof *forest->holders);
    for (uint32_t i = 0; i < count; i++)
        forest->semi[i] = forest->best[i] = i;
    count_holders(forest, is_root);
    list_holders(forest, is_root);
    free(is_root);
}

static void forest_close(struct forest *forest) {
    uint32_t *arrays[] = {forest->semi, forest->ancestor, forest->best, forest->dominator, forest->bucket,
                          forest->next, forest->first,    forest->path, forest->holders};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

static void find_dominators(struct forest *forest) {
    uint32_t last = forest->search->count + 1;
    for (uint32_t vertex = last; vertex > 1; vertex--) {
        if (vertex % GRAPH_STEP == 0)
            progress_show("blocks whose holders are known", last - vertex, last);
        find_semidominator(forest, vertex);
    }
    for (uint32_t vertex = 2; vertex <= last; vertex++)
        if (forest->dominator[vertex] != forest->semi[vertex])
            forest->dominator[vertex] = forest->dominator[forest->dominator[vertex]];
}

static void sum_retained(struct graph_dominators *dominators, const struct graph *graph,
                         const struct forest *forest) {
    const struct search *search = forest->search;
    for (uint32_t i = 0; i < graph->block_count; i++) {
        uint32_t dominator = forest->dominator[vertex_of(forest, i)];
        dominators->dominator[i] = dominator > 1 ? search->block[dominator - 1] : GRAPH_NONE;
        dominators->order[i] = search->block[i + 1];
        dominators->retained[i] = graph_self(graph, i);
    }
    for (size_t i = graph->block_count; i-- > 0;) {
        uint32_t block = dominators->order[i], around = dominators->dominator[block];
        if (around != GRAPH_NONE)
            dominators->retained[around] += dominators->retained[block];
    }
}

void graph_dominators_find(struct graph_dominators *dominators, const struct graph *graph) {
    struct search search;
    struct forest forest;
    dominators->order = memory_zeros(graph->block_count, sizeof *dominators->order);
    dominators->dominator = memory_zeros(graph->block_count, sizeof *dominators->dominator);
    dominators->retained = memory_zeros(graph->block_count, sizeof *dominators->retained);
    dominators->is_leaked = memory_zeros(graph->block_count, sizeof *dominators->is_leaked);
    search_open(&search, graph);
    visit_roots(&search);
    visit_leaked(&search, dominators->is_leaked);
    forest_open(&forest, &search, dominators->is_leaked);
    find_dominators(&forest);
    sum_retained(dominators, graph, &forest);
    forest_close(&forest);
    search_close(&search);
}

void graph_dominators_free(struct graph_dominators *dominators) {
    free(dominators->order);
    free(dominators->dominator);
    free(dominators->retained);
    free(dominators->is_leaked);
}
