/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the leaked blocks of a process, and the size reachable from one block. */
#include "dump/capture/search.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/capture/sites.h"
#include "dump/profile/read.h"

#include <stdlib.h>

/* ---- Leaked blocks. */

/* The dynamic loader finds its blocks by other means than pointers, so they are in use. */
static void reach_in_use(struct reaching *reaching, struct capture *capture) {
    const struct heap *heap = &capture->heap;
    struct symbolizer names = {.is_quiet = true};
    unsigned char *is_in_use = memory_zeros((size_t)heap_ours(heap) + 1, 1); /* by slot; 1: no, 2: yes */
    if (capture->root.root.flags & ROOT_IS_STATIC) /* then no module identifies the loader's memory */
        symbolize_report(&names, capture->source.report);
    is_in_use[heap_ours(heap)] = 2;
    for (size_t i = 0; i < heap->count; i++) {
        uint32_t slot = heap->blocks[i].slot;
        const struct report_site *row = is_in_use[slot] ? NULL : profile_row(&capture->source.profile, slot);
        if (!is_in_use[slot])
            is_in_use[slot] = row && capture_is_loaders(&row->view) ? 2 : 1;
        if (is_in_use[slot] == 2)
            reaching_reach(reaching, i);
    }
    free(is_in_use);
    symbolizer_free(&names);
}

/* Merges entries of the same slot. */
static size_t merge_slots(struct root_leaked *list, size_t count) {
    size_t kept = 0;
    sort_list(list, count, sizeof *list, compare_first_u64);
    for (size_t i = 0; i < count; i++) {
        if (kept && list[kept - 1].slot == list[i].slot) {
            list[kept - 1].blocks += list[i].blocks;
            list[kept - 1].bytes += list[i].bytes;
            list[kept - 1].possibly_blocks += list[i].possibly_blocks;
            list[kept - 1].possibly_bytes += list[i].possibly_bytes;
        } else
            list[kept++] = list[i];
    }
    return kept;
}

static size_t list_leaked(const struct reaching *reaching, struct root_leaked **list) {
    const struct finder *finder = reaching->roots.finder;
    size_t count = 0, capacity = 0;
    *list = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct heap_block *block = &finder->blocks[i];
        bool is_possibly = reaching->reached[i] == REACHED_POSSIBLY;
        if (reaching->reached[i] == REACHED)
            continue;
        memory_grow(list, count, &capacity, sizeof **list);
        struct root_leaked *leaked = &(*list)[count++];
        *leaked = (struct root_leaked){.slot = block->slot};
        *(is_possibly ? &leaked->possibly_blocks : &leaked->blocks) = 1;
        *(is_possibly ? &leaked->possibly_bytes : &leaked->bytes) = block->size;
    }
    return merge_slots(*list, count);
}

static void search_leaked(struct capture *capture, struct root_leaked **list, size_t *count) {
    struct coroutines coroutines;
    struct reaching reaching;
    coroutines_open(&coroutines, &capture->maps, &capture->stop, &capture->image, &capture->memory);
    const struct capture_roots roots = {.maps = &capture->maps,
                                        .stop = &capture->stop,
                                        .heap = &capture->heap,
                                        .finder = &capture->finder,
                                        .coroutines = &coroutines};
    reaching_open(&reaching, &roots);
    reach_in_use(&reaching, capture);
    reaching_from_roots(&reaching);
    mapped_search(&reaching, &capture->heap);
    *count = list_leaked(&reaching, list);
    reaching_close(&reaching);
    coroutines_close(&coroutines);
}

bool capture_leaked(const struct capture_target *target, struct root_leaked **list, size_t *count,
                    struct reason *why) {
    struct capture *capture = memory_zeros(1, sizeof *capture);
    bool is_done = capture_begin(capture, target, why);
    if (is_done)
        search_leaked(capture, list, count);
    capture_end(capture);
    free(capture);
    return is_done;
}

/* ---- The size reachable from one block. */

static uint64_t deep_size(struct capture *capture, uint64_t from) {
    struct reaching reaching;
    uint64_t bytes = 0;
    size_t block = finder_find(&capture->finder, from, false);
    if (block == FINDER_NONE)
        return 0;
    reaching_open(&reaching, &(struct capture_roots){.finder = &capture->finder});
    reaching_reach(&reaching, block);
    reaching_go_on(&reaching);
    for (size_t i = 0; i < capture->finder.count; i++)
        if (reaching.reached[i] && !capture->finder.blocks[i].is_chunk)
            bytes += capture->finder.blocks[i].size;
    reaching_close(&reaching);
    return bytes;
}

bool capture_deep_size(const struct capture_target *target, uint64_t from, uint64_t *bytes,
                       struct reason *why) {
    struct capture *capture = memory_zeros(1, sizeof *capture);
    bool is_done = capture_begin(capture, target, why);
    if (is_done)
        *bytes = deep_size(capture, from);
    capture_end(capture);
    free(capture);
    return is_done;
}
