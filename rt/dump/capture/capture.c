/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The graph of a running process's heap. */
#include "dump/capture/capture.h"

#include "dump/base/memory.h"
#include "dump/capture/sites.h"
#include "dump/process/process.h"
#include "dump/stop/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What a process may grow while it is looked at how large it is. */
enum { MARGIN = 16 << 20 };

/* Reading so much takes some 20 milliseconds. */
enum { WORTH_A_COPY = 48 << 20 };

struct capture {
    const struct capture_target *target;
    struct root_caller caller;         /* of the target, if it has one */
    struct remote_memory memory, copy; /* copy: of its copy */
    struct process_copy process;
    struct remote_root root;
    struct image image;
    struct heap heap;
    struct capture_maps maps;
    struct stop stop;
    struct finder finder;
    struct capture_sites sites;
    struct string_pool texts;
    uint64_t stopped;
};

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Of a module's data the linker has a part made read-only when it is relocated. */
static void want_mapping(struct capture *capture, const struct capture_map *map) {
    if (!map->is_readable || heap_is_table(&capture->heap, map->begin, map->end))
        return;
    bool has_blocks = map->is_writable && heap_want(&capture->heap, &capture->image, map->begin, map->end);
    if (has_blocks || capture_maps_is_root(&capture->maps, map, &capture->stop))
        image_want(&capture->image, map->begin, map->end);
}

static bool want_all(struct capture *capture, struct reason *why) {
    if (!heap_open(&capture->heap, &capture->root, &capture->memory, why) ||
        !capture_maps_read(&capture->maps, &capture->memory, &capture->root, &capture->heap, why))
        return false;
    heap_want_regions(&capture->heap, &capture->image, &capture->memory);
    for (size_t i = 0; i < capture->maps.count; i++)
        want_mapping(capture, &capture->maps.list[i]);
    return true;
}

static const struct root_caller *caller_of(const struct capture *capture) {
    return capture->target->caller ? &capture->caller : NULL;
}

static bool find_root(struct capture *capture, struct reason *why) {
    struct remote_root *root = &capture->root;
    if (!capture->target->caller)
        return remote_root_find(root, &capture->memory, why);
    bool is_read =
        remote_read(&capture->memory, capture->target->caller, &capture->caller, sizeof capture->caller);
    root->address = (uintptr_t)capture->caller.root;
    if (!is_read || !remote_read(&capture->memory, root->address, &root->root, sizeof root->root))
        return process_refuses(capture->memory.pid, why);
    return root->root.version == ROOT_VERSION || reason_set(why, "is of another version of allocsite");
}

/* Once before it stands still, to have the memory ready that the copy needs. */
static bool prepare(struct capture *capture, struct reason *why) {
    if (!find_root(capture, why) || !image_open(&capture->image, capture->memory.pid, why))
        return false;
    bool is_known = want_all(capture, why);
    uint64_t size = capture->image.size;
    image_want_none(&capture->image);
    capture_maps_free(&capture->maps);
    heap_close(&capture->heap);
    return is_known && image_make_room(&capture->image, size + size / 8 + MARGIN, why);
}

static void complain_of(const struct capture *capture, const char *what, const struct reason *why) {
    char pid[16];
    snprintf(pid, sizeof pid, "%u", capture->memory.pid);
    complain(pid, "%s%s%s", what, why ? ": " : "", why ? why->text : "");
}

/* False: all has to be read while it stands still, which for so little is as fast. */
static bool make_copy(struct capture *capture) {
    struct reason why;
    const struct stop *stop = &capture->stop;
    bool is_halted = stop->threads[0].is_halted; /* and does not wait for us */
    bool is_waiting = stop->threads[0].is_caller && stop->count == 1;
    if (capture->image.size < WORTH_A_COPY || is_halted || is_waiting)
        return false;
    if (process_copy_make(&capture->process, stop, caller_of(capture), &capture->memory, &why)) {
        if (image_share(&capture->image, capture->process.pid, &why))
            return true;
        process_copy_end(&capture->process, &capture->memory);
    }
    complain_of(capture, "no copy of it could be made, so it stood still longer", &why);
    return false;
}

static void copy_rest(struct capture *capture) {
    remote_memory_open(&capture->copy, capture->process.pid);
    if (capture->image.bytes)
        image_copy(&capture->image, &capture->copy, false);
    remote_memory_close(&capture->copy);
    if (!process_copy_end(&capture->process, &capture->memory))
        complain_of(capture, "its copy could not be taken from it", NULL);
    capture->stopped += capture->process.stopped;
}

static bool copy_stopped(struct capture *capture, struct reason *why) {
    uint64_t from = now(CLOCK_MONOTONIC);
    if (!stop_threads(&capture->stop, capture->memory.pid, caller_of(capture), why))
        return false;
    bool is_right = want_all(capture, why), has_copy = is_right && make_copy(capture);
    is_right = is_right && image_end(&capture->image, why);
    if (is_right)
        image_copy(&capture->image, &capture->memory, true);
    if (is_right && !has_copy)
        image_copy(&capture->image, &capture->memory, false);
    stop_let_go(&capture->stop);
    capture->stopped = now(CLOCK_MONOTONIC) - from;
    if (has_copy)
        copy_rest(capture);
    return is_right;
}

static void add_blocks(struct capture *capture, struct graph *graph) {
    uint32_t ours = (1u << capture->heap.layout.slot_bits) - 1;
    graph->block_count = capture->heap.count;
    graph->blocks = memory_zeros(graph->block_count + 1, sizeof *graph->blocks);
    for (size_t i = 0; i < graph->block_count; i++) {
        const struct heap_block *block = &capture->heap.blocks[i];
        graph->blocks[i] = (struct graph_block){.address = block->start,
                                                .size = block->size,
                                                .site = capture_site_of(&capture->sites, block->slot, ours)};
    }
    if (graph->stack_count)
        graph->stack_of = memory_zeros(graph->block_count, sizeof *graph->stack_of);
    for (size_t i = 0; graph->stack_of && i < graph->block_count; i++)
        graph->stack_of[i] = capture_stack_of(&capture->sites, capture->heap.blocks[i].slot);
}

static void add_in_use(const struct capture *capture, struct graph *graph) {
    for (size_t i = 0; i < graph->block_count; i++)
        if (capture->sites.in_use[graph->blocks[i].site])
            capture_root_add(graph, &(struct graph_root){(uint32_t)i, GRAPH_NONE, 0, 0, GRAPH_LOADER});
}

static void close_sites(struct capture *capture, const struct graph *graph) {
    capture_sites_free(&capture->sites, graph);
    report_source_free(&capture->sites.source);
}

static bool analyse(struct capture *capture, struct graph *graph, struct reason *why) {
    heap_read(&capture->heap, &capture->image);
    if (capture->heap.count > graph_most)
        return graph_is_full(why);
    finder_open(&capture->finder, &capture->heap, &capture->image);
    char path[32];
    snprintf(path, sizeof path, REPORT_SOURCE_PID "%u", capture->memory.pid);
    if (!capture_sites_read(&capture->sites, graph, &capture->texts, capture->target->caller ? "-" : path,
                            why))
        return false;
    add_blocks(capture, graph);
    capture_choose(graph, &capture->sites, &capture->texts, &capture->finder, &capture->maps);
    if (!capture_edges(graph, &capture->finder, capture->sites.types)) {
        close_sites(capture, graph);
        return graph_is_full(why);
    }
    struct capture_roots roots = {&capture->maps,   &capture->stop, &capture->heap,
                                  &capture->finder, graph,          &capture->texts};
    capture_roots_find(&roots);
    capture_frames(&roots, &capture->memory);
    capture_variables(graph, &capture->maps, &capture->texts);
    add_in_use(capture, graph);
    close_sites(capture, graph);
    capture_texts_copy(graph, &capture->texts);
    return true;
}

bool capture_graph(struct graph *graph, const struct capture_target *target, struct reason *why) {
    struct capture *capture = memory_zeros(1, sizeof *capture);
    capture->target = target;
    *graph =
        (struct graph){.head = {.pid = target->pid, .taken = now(CLOCK_REALTIME), .program = GRAPH_NONE}};
    remote_memory_open(&capture->memory, target->pid);
    bool is_done = prepare(capture, why) && copy_stopped(capture, why) && analyse(capture, graph, why);
    graph->head.stopped = capture->stopped;
    if (is_done && target->wants_contents)
        capture_contents(graph, &capture->image);
    finder_close(&capture->finder);
    stop_free(&capture->stop);
    capture_maps_free(&capture->maps);
    heap_close(&capture->heap);
    if (capture->image.pagemap)
        image_close(&capture->image);
    string_pool_free(&capture->texts);
    remote_memory_close(&capture->memory);
    free(capture);
    return is_done;
}
