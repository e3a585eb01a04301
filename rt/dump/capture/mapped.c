/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reaches blocks that are known only to memory which the program mapped itself.
 *
 * Such memory is no root: a stale pointer in it would hide a leak. But a block to which it points may be in
 * use. The search covers all pages that were ever touched, except for the memory of the runtime, of modules
 * and of stacks, and the allocator's memory between blocks, which holds stale addresses from freed blocks and
 * the allocator's own. A page of uncertain use is searched. So a leaked block may be called possibly leaked,
 * but a block in use is never called leaked. */
#include "dump/capture/search.h"

#include "base/arrays.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define PAGE UINT64_C(4096)

/* ---- The allocator's memory. */

/* The threshold above which glibc maps a block separately, and the approximate size that it keeps after the
 * last block of a heap. */
#define ALONE_SIZE  (UINT64_C(128) << 10)
#define HEAP_BEHIND (UINT64_C(128) << 10)

/* Maximum size of a heap of glibc's arenas. */
#define HEAP_MOST (UINT64_C(64) << 20)

/* Bytes examined at a time. */
#define CHUNK (UINT64_C(32) << 10)

/* The part of the chunk before chunk_end that belongs to the allocator. The allocator's blocks, live or
 * freed, are close together. */
struct heap_part {
    uint64_t begin; /* start of the examined memory */
    uint64_t chunk_end, from, until;
};

/* ---- The search. */

struct mapped {
    struct reaching *reaching;
    const struct heap *heap;
    struct span *known; /* sorted: memory without program data, or already searched */
    size_t known_count, known_capacity;
    const struct capture_map *map; /* the mapping being searched */
    uint64_t threads_end;          /* thread stacks are below this address in the mapping; 0: not determined
                                    * yet */
    struct heap_part part;
    bool *is_allocators; /* of each mapping: belongs to an allocator other than the C library's */
};

static const struct capture_maps *maps_of(const struct mapped *mapped) {
    return mapped->reaching->roots.maps;
}

static const struct image *image_of(const struct mapped *mapped) {
    return mapped->reaching->roots.finder->image;
}

static bool is_touched(const struct mapped *mapped, uint64_t address) {
    uint64_t size = 1;
    return image_at(image_of(mapped), address, &size);
}

/* A separately mapped block. After it is freed, the program may map its memory again. */
static bool is_alone(uint64_t start, uint64_t size) {
    return size >= ALONE_SIZE && (start % PAGE == 0 || start % PAGE == 16);
}

static void add_block(void *context, uint64_t start, uint64_t size) {
    struct heap_part *part = context;
    uint64_t until = start + size + HEAP_BEHIND;
    if (start < part->begin || is_alone(start, size))
        return;
    if (part->from > (start & -PAGE))
        part->from = start & -PAGE;
    if (part->until < until)
        part->until = until;
}

static void next_chunk(struct mapped *mapped) {
    struct heap_part *part = &mapped->part;
    bool goes_on = part->until > part->chunk_end;
    part->from = goes_on ? part->chunk_end : UINT64_MAX;
    heap_visit_all(mapped->heap, image_of(mapped), part->chunk_end, part->chunk_end + CHUNK, add_block, part);
    part->chunk_end += CHUNK;
}

/* Addresses must ascend within a mapping. */
static bool is_allocators(struct mapped *mapped, uint64_t at) {
    struct heap_part *part = &mapped->part;
    uint64_t begin = at - mapped->map->begin > HEAP_MOST ? at - HEAP_MOST : mapped->map->begin;
    if (part->chunk_end < begin)
        *part = (struct heap_part){.begin = begin, .chunk_end = begin & -CHUNK};
    while (part->chunk_end <= at)
        next_chunk(mapped);
    return part->from <= at && at < part->until;
}

/* An allocator other than the C library's keeps its blocks in mappings to which its data points. This does
 * not hold if the executable contains the allocator, because the executable's data also contains the
 * program's pointers. */
static void note_pointed_at(void *context, struct span data) {
    struct mapped *mapped = context;
    uint64_t word;
    for (uint64_t at = (data.begin + 7) & -UINT64_C(8); at + 8 <= data.end; at += 8) {
        const struct capture_map *map = image_read(image_of(mapped), at, &word, sizeof word)
                                            ? capture_maps_at(maps_of(mapped), word)
                                            : NULL;
        if (map && map->kind == MAP_ANONYMOUS_DATA)
            mapped->is_allocators[map - maps_of(mapped)->list] = true;
    }
}

static void pass_over_allocator(struct mapped *mapped) {
    const struct capture_maps *maps = maps_of(mapped);
    uint64_t function = maps->allocator;
    for (size_t i = 0; i < maps->module_count; i++) {
        const struct capture_module *module = &maps->modules[i];
        if (function < module->begin || function >= module->end || strcmp(module->path, maps->program) == 0)
            continue;
        for (size_t k = 0; k < maps->data_count; k++)
            if (maps->data[k].base == module->base && !maps->data[k].heads)
                note_pointed_at(mapped, (struct span){maps->data[k].begin, maps->data[k].end});
    }
}

/* ---- Stacks. */

/* The used part of a stack below a stack pointer is usually one range of touched pages. */
static uint64_t stack_begin(const struct mapped *mapped, const struct capture_map *map, uint64_t sp) {
    uint64_t page = sp & -PAGE;
    while (page > map->begin && is_touched(mapped, page - PAGE))
        page -= PAGE;
    return page < map->begin ? map->begin : page;
}

/* The C library's thread descriptor at the end of a stack contains its own address twice, in tcbhead_t.tcb
 * and .self (sysdeps/x86_64/nptl/tls.h). It remains after the thread has ended, while the stack waits for
 * reuse. */
static bool is_thread(const char *bytes, uint64_t at) {
    uint64_t words[3];
    memcpy(words, bytes, sizeof words);
    return words[0] == at && words[2] == at;
}

enum { THREAD_ALIGNMENT = 64, THREAD_SIZE = 4096 };

static uint64_t find_threads_end(const struct mapped *mapped, uint64_t first_thread) {
    for (uint64_t page = mapped->map->end; page > mapped->map->begin;) {
        page -= PAGE;
        uint64_t size = PAGE;
        const char *bytes = image_at(image_of(mapped), page, &size);
        for (uint64_t at = page + PAGE; bytes && size == PAGE && at > page;) {
            at -= THREAD_ALIGNMENT;
            if (is_thread(bytes + (at - page), at) && at != first_thread)
                return at + THREAD_SIZE;
        }
    }
    return mapped->map->begin;
}

/* ---- Excluded memory. */

static void add_known(struct mapped *mapped, uint64_t begin, uint64_t end) {
    memory_grow(&mapped->known, mapped->known_count, &mapped->known_capacity, sizeof *mapped->known);
    mapped->known[mapped->known_count++] = (struct span){begin & -PAGE, (end + PAGE - 1) & -PAGE};
}

/* Adds the stack of a live thread. Memory of ended threads below it is recognized by their descriptors. */
static void add_thread(struct mapped *mapped, const struct stopped_thread *thread) {
    const struct capture_map *map = capture_maps_at(maps_of(mapped), thread->sp);
    unsigned pid = mapped->reaching->roots.stop->pid;
    if (map && map->kind == MAP_ANONYMOUS_DATA)
        add_known(mapped, stack_begin(mapped, map, thread->sp), thread->sp);
    if ((unsigned)thread->id == pid && thread->tp) {
        struct span memory = capture_thread_memory(maps_of(mapped), thread, pid);
        add_known(mapped, memory.begin, memory.end);
    }
}

static void add_coroutine(struct mapped *mapped, const struct coroutine *coroutine) {
    const struct capture_map *map = capture_maps_at(maps_of(mapped), coroutine->from);
    if (map)
        add_known(mapped, stack_begin(mapped, map, coroutine->from), coroutine->end);
}

static void find_known(struct mapped *mapped) {
    const struct capture_roots *roots = &mapped->reaching->roots;
    const struct capture_maps *maps = roots->maps;
    for (size_t i = 0; i < maps->runtime_span_count; i++)
        add_known(mapped, maps->runtime_spans[i].begin, maps->runtime_spans[i].end);
    for (size_t i = 0; i < maps->data_count; i++)
        add_known(mapped, maps->data[i].begin, maps->data[i].end);
    add_known(mapped, maps->runtime_data.begin, maps->runtime_data.end);
    for (size_t i = 0; i < roots->stop->count; i++)
        add_thread(mapped, &roots->stop->threads[i]);
    for (size_t i = 0; i < roots->coroutines->count; i++)
        add_coroutine(mapped, &roots->coroutines->list[i]);
    sort_list(mapped->known, mapped->known_count, sizeof *mapped->known, compare_first_u64);
}

/* ---- The search. */

static uint64_t first_thread(const struct stop *stop) {
    for (size_t i = 0; i < stop->count; i++)
        if ((unsigned)stop->threads[i].id == stop->pid)
            return stop->threads[i].tp;
    return 0;
}

static void see_word(void *context, const struct found *found) {
    struct mapped *mapped = context;
    if (mapped->reaching->reached[found->block])
        return;
    if (!mapped->threads_end)
        mapped->threads_end = find_threads_end(mapped, first_thread(mapped->reaching->roots.stop));
    if (found->at >= mapped->threads_end && !is_allocators(mapped, found->at))
        reaching_reach(mapped->reaching, found->block);
}

static void search_span(struct mapped *mapped, uint64_t begin, uint64_t end) {
    const struct words words = {
        .finder = mapped->reaching->roots.finder, .heads = true, .found = see_word, .context = mapped};
    if (begin < end)
        words_search_between(&words, (struct span){begin, end});
}

static void search_map(struct mapped *mapped, const struct capture_map *map) {
    uint64_t at = map->begin;
    mapped->map = map;
    mapped->threads_end = 0;
    mapped->part = (struct heap_part){.begin = map->begin, .chunk_end = map->begin & -CHUNK};
    for (size_t i = 0; i < mapped->known_count && mapped->known[i].begin < map->end; i++) {
        if (mapped->known[i].end <= at)
            continue;
        search_span(mapped, at, mapped->known[i].begin);
        at = mapped->known[i].end;
    }
    search_span(mapped, at, map->end);
}

void mapped_search(struct reaching *reaching, const struct heap *heap) {
    const struct capture_maps *maps = reaching->roots.maps;
    struct mapped mapped = {.reaching = reaching, .heap = heap};
    mapped.is_allocators = memory_zeros(maps->count, sizeof *mapped.is_allocators);
    reaching->now = REACHED_POSSIBLY;
    find_known(&mapped);
    pass_over_allocator(&mapped);
    for (size_t i = 0; i < maps->count; i++)
        if (maps->list[i].kind != MAP_OTHER && !mapped.is_allocators[i])
            search_map(&mapped, &maps->list[i]);
    free(mapped.is_allocators);
    free(mapped.known);
    reaching_go_on(reaching);
}
