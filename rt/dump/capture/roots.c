/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches the roots: data, stacks, registers and thread-local memory. */
#include "dump/capture/search.h"

enum { DESCRIPTOR_ROOM = 4096 };

/* The root being searched. */
struct root_source {
    const struct capture_roots *roots;
    enum graph_root_kind kind;
    uint32_t thread;
};

static void see_word(void *context, const struct found *found) {
    const struct root_source *source = context;
    bool has_place = source->kind == GRAPH_DATA || source->kind == GRAPH_STACK;
    source->roots->found(
        source->roots->context,
        &(struct root_found){source->kind, source->thread, found->block, has_place ? found->at : 0});
}

static struct words words_of(struct root_source *source) {
    return (struct words){.finder = source->roots->finder,
                          .coroutines = source->roots->coroutines,
                          .found = see_word,
                          .context = source};
}

static void see_root(struct root_source *source, struct span span) {
    const struct words words = words_of(source);
    words_search_between(&words, span);
}

/* Excludes the runtime's own thread-local memory. */
static void see_around_runtime(struct root_source *source, struct span span, uint64_t tp) {
    const struct heap *heap = source->roots->heap;
    struct span runtime_locals = {tp + (uint64_t)heap->local, tp + (uint64_t)heap->local};
    runtime_locals.end += heap->layout.local_size;
    if (runtime_locals.begin >= span.end || runtime_locals.end <= span.begin) {
        see_root(source, span);
        return;
    }
    see_root(source, (struct span){span.begin, runtime_locals.begin});
    see_root(source, (struct span){runtime_locals.end, span.end});
}

static struct span map_at(const struct capture_maps *maps, uint64_t address) {
    const struct capture_map *map = capture_maps_at(maps, address);
    return map ? (struct span){map->begin, map->end} : (struct span){address, address};
}

static struct span stack_of_first(const struct capture_maps *maps) {
    for (size_t i = 0; i < maps->count; i++)
        if (maps->list[i].is_stack)
            return (struct span){maps->list[i].begin, maps->list[i].end};
    return (struct span){0, 0};
}

static uint64_t lower_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t higher_of(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Static thread-local memory is below the thread pointer. The C library's descriptor of the thread is above
 * it, of unknown size (2,304 bytes in glibc 2.36). The first thread may have further data below it; other
 * threads have their stack there. */
struct span capture_thread_memory(const struct capture_maps *maps, const struct stopped_thread *thread,
                                  unsigned pid) {
    struct span map = map_at(maps, thread->tp);
    uint64_t below = maps->thread_local + ((unsigned)thread->id == pid ? DESCRIPTOR_ROOM : 0);
    return (struct span){higher_of(map.begin, thread->tp - lower_of(thread->tp, below)),
                         lower_of(map.end, thread->tp + DESCRIPTOR_ROOM)};
}

static void see_registers(const struct capture_roots *roots, const struct stopped_thread *thread) {
    struct root_source source = {roots, GRAPH_REGISTER, (uint32_t)thread->id};
    const struct words words = words_of(&source);
    for (size_t i = 0; i < thread->register_count; i++)
        words_see(&words, thread->registers[i], 0);
    words_see(&words, thread->tp, 0);
}

/* The first thread's stack ends with its mapping, any other's with its thread-local memory. A thread that
 * currently uses another stack, for signals or coroutines, may return to any part of its own. */
static void see_thread(const struct capture_roots *roots, const struct stopped_thread *thread) {
    const struct capture_maps *maps = roots->maps;
    uint32_t id = (uint32_t)thread->id;
    struct root_source stack = {roots, GRAPH_STACK, id}, locals = {roots, GRAPH_THREAD, id};
    struct span memory = capture_thread_memory(maps, thread, roots->stop->pid);
    struct span current = map_at(maps, thread->sp);
    uint64_t sp = higher_of(stop_stack_begin(thread), current.begin);
    if (memory.begin < sp && sp < memory.end)
        memory.begin = sp;
    struct span own = id == roots->stop->pid ? stack_of_first(maps)
                                             : (struct span){map_at(maps, thread->tp).begin, memory.begin};
    see_registers(roots, thread);
    see_around_runtime(&locals, memory, thread->tp);
    if (own.begin <= sp && sp <= own.end) {
        see_around_runtime(&stack, (struct span){sp, own.end}, thread->tp);
        return;
    }
    see_root(&stack, (struct span){sp, current.end});
    see_around_runtime(&stack, own, thread->tp);
}

void capture_roots_find(const struct capture_roots *roots) {
    struct root_source data = {roots, GRAPH_DATA, 0};
    struct words words = words_of(&data);
    for (size_t i = 0; i < roots->maps->data_count; i++) {
        words.heads = roots->maps->data[i].heads;
        words_search_between(&words, (struct span){roots->maps->data[i].begin, roots->maps->data[i].end});
    }
    words.heads = false;
    for (size_t i = 0; i < roots->maps->registered_count; i++)
        words_search(&words, roots->maps->registered[i]);
    for (size_t i = 0; i < roots->stop->count; i++)
        see_thread(roots, &roots->stop->threads[i]);
}

bool capture_roots_find_coroutines(const struct capture_roots *roots) {
    struct coroutines *coroutines = roots->coroutines;
    struct root_source source = {roots, GRAPH_STACK, 0};
    if (!coroutines->are_pending)
        return false;
    coroutines->are_pending = false;
    for (size_t i = 0; i < coroutines->count; i++) {
        struct span fresh = {coroutines->list[i].from, coroutines->list[i].searched};
        coroutines->list[i].searched = fresh.begin;
        see_root(&source, fresh);
    }
    return true;
}
