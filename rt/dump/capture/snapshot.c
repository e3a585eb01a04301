/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds the graph of a process's heap. */
#include "dump/base/memory.h"
#include "dump/capture/resident.h"
#include "dump/capture/search.h"
#include "dump/capture/sites.h"

#include <stdlib.h>
#include <time.h>

/* The state while a graph is built. */
struct builder {
    struct capture *capture;
    struct graph *graph;
    struct capture_sites sites;
    struct string_pool texts;
};

static void add_blocks(struct builder *builder) {
    const struct heap *heap = &builder->capture->heap;
    struct graph *graph = builder->graph;
    graph->block_count = heap->count;
    graph->blocks = memory_zeros(graph->block_count + 1, sizeof *graph->blocks);
    for (size_t i = 0; i < graph->block_count; i++) {
        const struct heap_block *block = &heap->blocks[i];
        graph->blocks[i] =
            (struct graph_block){.address = block->start,
                                 .size = block->size,
                                 .site = capture_site_of(&builder->sites, block->slot, heap_ours(heap))};
    }
    if (graph->stack_count)
        graph->stack_of = memory_zeros(graph->block_count, sizeof *graph->stack_of);
    for (size_t i = 0; graph->stack_of && i < graph->block_count; i++)
        graph->stack_of[i] = capture_stack_of(&builder->sites, heap->blocks[i].slot);
}

static void add_root(struct graph *graph, const struct graph_root *root) {
    memory_grow(&graph->roots, graph->root_count, &graph->root_capacity, sizeof *graph->roots);
    graph->roots[graph->root_count++] = *root;
}

static void see_root(void *graph, const struct root_found *found) {
    add_root(graph, &(struct graph_root){.to = (uint32_t)found->block,
                                         .label = GRAPH_NONE,
                                         .offset = found->at,
                                         .thread = found->thread,
                                         .kind = found->kind});
}

static void add_in_use(const struct builder *builder) {
    struct graph *graph = builder->graph;
    for (size_t i = 0; i < graph->block_count; i++)
        if (builder->sites.in_use[graph->blocks[i].site])
            add_root(graph, &(struct graph_root){(uint32_t)i, GRAPH_NONE, 0, 0, GRAPH_LOADER});
}

/* False: too many edges. */
static bool add_references(struct builder *builder) {
    struct capture *capture = builder->capture;
    struct coroutines coroutines;
    coroutines_open(&coroutines, &capture->maps, &capture->stop, &capture->image, &capture->memory);
    struct capture_roots roots = {&capture->maps, &capture->stop, &capture->heap, &capture->finder,
                                  &coroutines,    see_root,       builder->graph};
    bool is_whole = capture_edges(builder->graph, &capture->finder, builder->sites.types, &coroutines);
    if (is_whole) {
        capture_roots_find(&roots);
        while (capture_roots_find_coroutines(&roots))
            ;
        capture_frames(builder->graph, &roots, &capture->memory, &builder->texts);
        capture_variables(builder->graph, &capture->maps, &builder->texts);
        add_in_use(builder);
    }
    coroutines_close(&coroutines);
    return is_whole;
}

static bool make_graph(struct builder *builder, struct reason *why) {
    struct capture *capture = builder->capture;
    struct graph *graph = builder->graph;
    if (capture->heap.count > graph_most)
        return graph_is_full(why);
    capture_sites_add(&builder->sites, graph, &builder->texts, &capture->source, capture->target->line);
    add_blocks(builder);
    bool is_whole = true;
    if (capture->target->resident) {
        resident_divide(capture->target->resident, capture, graph, &builder->sites);
    } else {
        capture_choose(graph, &builder->sites, &builder->texts, &capture->finder, &capture->maps);
        is_whole = add_references(builder);
    }
    capture_sites_free(&builder->sites, graph);
    if (!is_whole)
        return graph_is_full(why);
    capture_texts_copy(graph, &builder->texts);
    graph->head.stopped = capture->stopped;
    if (capture->target->wants_contents)
        capture_contents(graph, &capture->image);
    return true;
}

bool capture_graph(struct graph *graph, const struct capture_target *target, struct reason *why) {
    struct capture *capture = memory_zeros(1, sizeof *capture);
    struct builder builder = {.capture = capture, .graph = graph};
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    *graph = (struct graph){.head = {.pid = target->pid, .program = GRAPH_NONE}};
    graph->head.taken = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    bool is_done = capture_begin(capture, target, why) && make_graph(&builder, why);
    string_pool_free(&builder.texts);
    capture_end(capture);
    free(capture);
    return is_done;
}
