/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the stacks of suspended coroutines. */
#include "dump/capture/search.h"

#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A context switch leaves the return address just below the saved stack pointer (swapcontext), or above it
 * after pushed registers. */
enum { BELOW = 8, ABOVE = 16 * 8, CALL_SIZE = 8 };

/* The largest stack. A word that points further below the end of its mapping is not a stack pointer. */
#define STACK_MOST (UINT64_C(256) << 20)

void coroutines_open(struct coroutines *coroutines, const struct capture_maps *maps, const struct stop *stop,
                     const struct image *image, struct remote_memory *memory) {
    *coroutines = (struct coroutines){.maps = maps, .stop = stop, .image = image, .memory = memory};
    coroutines->code = memory_zeros(CODE_PAGES, sizeof *coroutines->code);
    coroutines->lowest = maps->list[0].begin;
    for (size_t i = 0; i < maps->count; i++)
        if (maps->list[i].end <= UINT64_C(1) << 63)
            coroutines->extent = maps->list[i].end - coroutines->lowest;
}

void coroutines_close(struct coroutines *coroutines) {
    free(coroutines->code);
    free(coroutines->list);
}

static bool is_in_module(const struct capture_maps *maps, uint64_t address) {
    for (size_t i = 0; i < maps->module_count; i++)
        if (maps->modules[i].begin <= address && address < maps->modules[i].end)
            return true;
    return false;
}

/* NULL: the page cannot be read. */
static const unsigned char *code_page(struct coroutines *coroutines, uint64_t address) {
    struct code_page *page = &coroutines->code[address / CODE_PAGE % CODE_PAGES];
    address &= -(uint64_t)CODE_PAGE;
    if (page->address != address) {
        page->address = address;
        page->is_there = remote_read(coroutines->memory, address, page->bytes, CODE_PAGE);
    }
    return page->is_there ? page->bytes : NULL;
}

/* Reads the bytes before the address. */
static bool read_code(struct coroutines *coroutines, uint64_t address, unsigned char code[CALL_SIZE]) {
    for (uint64_t i = 0, at = address - CALL_SIZE; i < CALL_SIZE; i++, at++) {
        const unsigned char *page = code_page(coroutines, at);
        if (!page)
            return false;
        code[i] = page[at % CODE_PAGE];
    }
    return true;
}

/* True if a call precedes the address: direct, or through a register or memory. */
static bool is_return_address(struct coroutines *coroutines, uint64_t address) {
    unsigned char code[CALL_SIZE];
    if (!is_in_module(coroutines->maps, address) || !read_code(coroutines, address, code))
        return false;
    for (int size = 2; size <= 7; size++)
        if (code[CALL_SIZE - size] == 0xFF && (code[CALL_SIZE + 1 - size] >> 3 & 7) == 2)
            return true;
    return code[CALL_SIZE - 5] == 0xE8;
}

static bool is_stack_pointer(struct coroutines *coroutines, const struct capture_map *map, uint64_t word) {
    uint64_t address, at = word - BELOW < map->begin ? word : word - BELOW;
    if (word % 8 || map->end - word > STACK_MOST)
        return false;
    for (; at < word + ABOVE && at < map->end; at += 8)
        if (image_read(coroutines->image, at, &address, sizeof address) &&
            is_return_address(coroutines, address))
            return true;
    return false;
}

static bool map_contains(const struct capture_map *map, uint64_t address) {
    return map->begin <= address && address < map->end;
}

/* The stack of a thread is searched with the thread. Its unused part contains stale stack pointers. */
static bool is_of_thread(const struct stop *stop, const struct capture_map *map) {
    bool is = false;
    for (size_t i = 0; i < stop->count && !is; i++)
        is = map_contains(map, stop->threads[i].sp) || map_contains(map, stop->threads[i].tp);
    return is;
}

static struct coroutine *coroutine_at(struct coroutines *coroutines, const struct capture_map *map) {
    for (size_t i = 0; i < coroutines->count; i++)
        if (coroutines->list[i].end == map->end)
            return &coroutines->list[i];
    memory_grow(&coroutines->list, coroutines->count, &coroutines->capacity, sizeof *coroutines->list);
    struct coroutine *fresh = &coroutines->list[coroutines->count++];
    *fresh = (struct coroutine){map->end, map->end, map->end};
    return fresh;
}

void coroutines_see(struct coroutines *coroutines, uint64_t word) {
    struct span *passed_over = &coroutines->passed_over;
    if (word - coroutines->lowest >= coroutines->extent ||
        word - passed_over->begin < passed_over->end - passed_over->begin)
        return;
    const struct capture_map *map = capture_maps_at(coroutines->maps, word);
    if (!map)
        return;
    if (map->kind != MAP_ANONYMOUS_DATA || is_of_thread(coroutines->stop, map)) {
        *passed_over = (struct span){map->begin, map->end};
        return;
    }
    if (!is_stack_pointer(coroutines, map, word))
        return;
    struct coroutine *coroutine = coroutine_at(coroutines, map);
    if (word - BELOW >= coroutine->from)
        return;
    coroutine->from = word - BELOW < map->begin ? map->begin : word - BELOW;
    coroutines->are_pending = true;
}
