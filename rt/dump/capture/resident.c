/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Divides the resident memory of a process. The kernel says how many bytes of each mapping are resident
 * (smaps), and which pages of the heap (pagemap); the block table says how many bytes of each page live
 * blocks use. */
#include "dump/capture/resident.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/capture/sites.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)

static bool resident_overlaps(uint64_t begin, uint64_t end, uint64_t other_begin, uint64_t other_end) {
    return begin < other_end && other_begin < end;
}

static bool is_of_runtime(const struct capture *capture, uint64_t begin, uint64_t end) {
    const struct capture_maps *maps = &capture->maps;
    bool is_table = heap_is_table(&capture->heap, begin, end);
    for (size_t i = 0; i < maps->runtime_span_count && !is_table; i++)
        is_table = maps->runtime_spans[i].begin <= begin && begin < maps->runtime_spans[i].end;
    return is_table;
}

static bool is_stack(const struct capture *capture, uint64_t begin, uint64_t end) {
    bool has_thread = false;
    for (size_t i = 0; i < capture->stop.count && !has_thread; i++)
        has_thread = begin <= capture->stop.threads[i].sp && capture->stop.threads[i].sp < end;
    return has_thread;
}

static bool is_module(const struct capture *capture, uint64_t begin, uint64_t end) {
    bool is_part = false;
    for (size_t i = 0; i < capture->maps.module_count && !is_part; i++)
        is_part = resident_overlaps(begin, end, capture->maps.modules[i].begin, capture->maps.modules[i].end);
    return is_part;
}

static bool is_heap(const struct capture *capture, uint64_t begin, uint64_t end) {
    bool has_blocks = false;
    for (size_t i = 0; i < capture->heap.span_count && !has_blocks; i++)
        has_blocks = resident_overlaps(begin, end, capture->heap.spans[i].begin, capture->heap.spans[i].end);
    return has_blocks;
}

/* The order matters: a thread's stack is anonymous memory beside the heap, and [heap] follows the program. */
static enum resident_part part_of(const struct capture *capture, uint64_t begin, uint64_t end,
                                  const char *name) {
    if (is_of_runtime(capture, begin, end))
        return RESIDENT_OWN;
    if (strcmp(name, "[stack]") == 0 || is_stack(capture, begin, end))
        return RESIDENT_STACKS;
    if (strcmp(name, "[heap]") == 0 || (!name[0] && is_heap(capture, begin, end)))
        return RESIDENT_FREE;
    if (strncmp(name, "[v", 2) == 0 || is_module(capture, begin, end))
        return RESIDENT_CODE;
    return name[0] == '/' ? RESIDENT_FILES : RESIDENT_UNKNOWN;
}

static void add_map(struct resident *resident, const struct capture *capture, uint64_t begin, uint64_t end,
                    const char *name) {
    memory_grow(&resident->maps, resident->map_count, &resident->map_capacity, sizeof *resident->maps);
    resident->maps[resident->map_count++] =
        (struct resident_map){.begin = begin, .end = end, .part = part_of(capture, begin, end, name)};
}

/* Reads "55e0-55e1 rw-p 0 00:00 0  [heap]", or "Rss:  12 kB" of the mapping before it. */
static void read_line(struct resident *resident, const struct capture *capture, char *line) {
    uint64_t begin, end, kilobytes;
    int name = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "Rss: %" SCNu64 " kB", &kilobytes) == 1 && resident->map_count)
        resident->maps[resident->map_count - 1].bytes = kilobytes * 1024;
    else if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4s %*x %*s %*u %n", &begin, &end, &name) == 2 && name)
        add_map(resident, capture, begin, end, line + name);
}

static bool read_maps(struct resident *resident, const struct capture *capture) {
    char path[32], *line = NULL;
    size_t capacity = 0;
    snprintf(path, sizeof path, "/proc/%u/smaps", capture->memory.pid);
    FILE *file = fopen(path, "re");
    while (file && getline(&line, &capacity, file) > 0)
        read_line(resident, capture, line);
    free(line);
    if (file)
        fclose(file);
    return file;
}

static bool read_pages(struct resident_map *map, int pagemap) {
    enum { MOST = 8192, PRESENT_BIT = 63 };
    static uint64_t entries[MOST];
    size_t pages = (map->end - map->begin) / PAGE;
    map->is_present = memory_zeros(pages, 1);
    map->used = memory_zeros(pages, sizeof *map->used);
    for (size_t at = 0; at < pages;) {
        size_t count = pages - at < MOST ? pages - at : MOST;
        ssize_t size = pread(pagemap, entries, count * sizeof *entries,
                             (off_t)((map->begin / PAGE + at) * sizeof *entries));
        if (size < (ssize_t)sizeof *entries)
            return false;
        for (size_t i = 0; i < (size_t)size / sizeof *entries; i++)
            map->is_present[at++] = entries[i] >> PRESENT_BIT;
    }
    return true;
}

static bool has_mappings(const struct capture *capture, const struct resident_map *map) {
    bool has_some = false;
    for (size_t i = 0; i < capture->maps.mapping_count && !has_some; i++)
        has_some = resident_overlaps(map->begin, map->end, capture->maps.mappings[i].begin,
                                     capture->maps.mappings[i].end);
    return has_some && (map->part == RESIDENT_FILES || map->part == RESIDENT_UNKNOWN);
}

bool resident_read(struct resident *resident, const struct capture *capture, struct reason *why) {
    bool is_read = read_maps(resident, capture);
    for (size_t i = 0; i < resident->map_count && is_read; i++) {
        struct resident_map *map = &resident->maps[i];
        if (map->bytes && (map->part == RESIDENT_FREE || has_mappings(capture, map)))
            is_read = read_pages(map, capture->image.pagemap);
    }
    return is_read || reason_set(why, "the kernel does not permit reading which of its pages are resident");
}

/* ---- The heap, by page and by site. */

/* A part of a block within one resident page. */
struct piece {
    size_t block;
    struct resident_map *map;
    size_t page;
    uint16_t bytes;
};

typedef void piece_visitor(void *context, const struct piece *);

static void visit_block(struct resident_map *map, size_t block, uint64_t begin, uint64_t end,
                        piece_visitor *visit, void *context) {
    for (uint64_t at = begin, next; at < end && at < map->end; at = next) {
        next = (at & -PAGE) + PAGE;
        next = next < end ? next : end;
        size_t page = (at - map->begin) / PAGE;
        if (map->is_present[page])
            visit(context, &(struct piece){block, map, page, (uint16_t)(next - at)});
    }
}

/* Blocks and mappings are sorted. Chunks that custom allocators divide do not count, so no blocks overlap. */
static void visit_blocks(struct resident *resident, const struct heap *heap, piece_visitor *visit,
                         void *context) {
    size_t at = 0;
    for (size_t i = 0; i < heap->count; i++) {
        const struct heap_block *block = &heap->blocks[i];
        uint64_t begin = block->start;
        uint64_t size = block->is_chunk || block->slot == heap_ours(heap) ? 0 : block->size;
        while (at < resident->map_count && resident->maps[at].end <= begin)
            at++;
        struct resident_map *map = at < resident->map_count ? &resident->maps[at] : NULL;
        if (map && map->begin <= begin && map->is_present)
            visit_block(map, i, begin, begin + size, visit, context);
    }
}

static void use_page(void *unused, const struct piece *piece) {
    uint16_t *used = &piece->map->used[piece->page];
    (void)unused;
    *used = *used + piece->bytes < (int)PAGE ? *used + piece->bytes : PAGE;
}

struct sharing {
    const struct graph *graph;
    struct resident_site *sites;
    uint64_t *last_page; /* of each site, its address + 1 */
    size_t *last_block;  /* of each site, + 1 */
};

static void share_page(void *context, const struct piece *piece) {
    struct sharing *sharing = context;
    uint64_t used = piece->map->used[piece->page], address = piece->map->begin + piece->page * PAGE + 1;
    uint32_t number = sharing->graph->blocks[piece->block].site;
    struct resident_site *site = &sharing->sites[number];
    if (used > PAGE / 2)
        return;
    site->kept += (PAGE - used) * piece->bytes / used;
    site->bytes += piece->bytes;
    site->pages += sharing->last_page[number] != address;
    site->blocks += sharing->last_block[number] != piece->block + 1;
    sharing->last_page[number] = address;
    sharing->last_block[number] = piece->block + 1;
}

static int compare_sites(const void *a, const void *b) {
    const struct resident_site *left = a, *right = b;
    return compare_u64(right->kept, left->kept) ?: compare_u64(left->site, right->site);
}

static void divide_sites(struct resident *resident, const struct heap *heap, const struct graph *graph) {
    struct sharing sharing = {.graph = graph,
                              .sites = memory_zeros(graph->site_count + 1, sizeof *sharing.sites),
                              .last_page = memory_zeros(graph->site_count + 1, sizeof *sharing.last_page),
                              .last_block = memory_zeros(graph->site_count + 1, sizeof *sharing.last_block)};
    visit_blocks(resident, heap, share_page, &sharing);
    resident->sites = sharing.sites;
    for (uint32_t i = 0; i < graph->site_count; i++) {
        struct resident_site site = sharing.sites[i];
        site.site = i;
        if (site.blocks)
            resident->sites[resident->site_count++] = site;
    }
    qsort(resident->sites, resident->site_count, sizeof *resident->sites, compare_sites);
    free(sharing.last_page);
    free(sharing.last_block);
}

/* ---- The program's mappings. */

/* An allocator's own mapping has blocks, and is heap. */
static bool has_blocks(const struct heap *heap, const struct capture_mapping *mapping) {
    const struct heap_block *blocks = heap->blocks;
    size_t next =
        sorted_up_to(blocks, heap->count, sizeof *blocks, offsetof(struct heap_block, start), mapping->begin);
    return (next && blocks[next - 1].start + blocks[next - 1].size > mapping->begin) ||
           (next < heap->count && blocks[next].start < mapping->end);
}

/* Returns the resident bytes of the mapping in this map that no block uses. */
static uint64_t mapped_bytes(const struct resident_map *map, const struct capture_mapping *mapping) {
    uint64_t begin = mapping->begin > map->begin ? mapping->begin : map->begin, sum = 0;
    uint64_t end = mapping->end < map->end ? mapping->end : map->end;
    for (uint64_t at = begin, next; map->is_present && at < end; at = next) {
        size_t page = (at - map->begin) / PAGE;
        next = (at & -PAGE) + PAGE;
        next = next < end ? next : end;
        if (map->is_present[page] && !map->used[page])
            sum += next - at;
    }
    return sum < map->left ? sum : map->left;
}

static void divide_mapping(struct resident *resident, const struct capture_mapping *mapping,
                           struct resident_mapped *mapped) {
    mapped->mappings++;
    mapped->bytes += mapping->end - mapping->begin;
    for (size_t i = 0; i < resident->map_count; i++) {
        struct resident_map *map = &resident->maps[i];
        uint64_t bytes = mapped_bytes(map, mapping);
        map->left -= bytes;
        mapped->resident += bytes;
        resident->parts[RESIDENT_MAPPINGS] += bytes;
    }
}

static int compare_mapped(const void *a, const void *b) {
    const struct resident_mapped *left = a, *right = b;
    return compare_u64(right->resident, left->resident)
               ?: compare_u64(right->bytes, left->bytes)
               ?: compare_u64(left->site, right->site);
}

static void divide_mappings(struct resident *resident, const struct capture *capture,
                            const struct capture_sites *sites, size_t site_count) {
    const struct heap *heap = &capture->heap;
    resident->mapped = memory_zeros(site_count + 1, sizeof *resident->mapped);
    for (size_t i = 0; i < capture->maps.mapping_count; i++) {
        const struct capture_mapping *mapping = &capture->maps.mappings[i];
        uint32_t site = sites ? capture_site_of(sites, mapping->slot, heap_ours(heap)) : 0;
        if (mapping->begin < mapping->end && !has_blocks(heap, mapping))
            divide_mapping(resident, mapping, &resident->mapped[site]);
    }
    for (uint32_t i = 0; i < site_count; i++) {
        struct resident_mapped mapped = resident->mapped[i];
        mapped.site = i;
        if (mapped.mappings)
            resident->mapped[resident->mapped_count++] = mapped;
    }
    qsort(resident->mapped, resident->mapped_count, sizeof *resident->mapped, compare_mapped);
}

/* A page of zeros that was only read is present, but the kernel does not count it as resident. */
static uint64_t used_bytes(const struct resident_map *map) {
    uint64_t sum = 0;
    for (size_t i = 0; map->used && i < (map->end - map->begin) / PAGE; i++)
        sum += map->used[i];
    return sum < map->bytes ? sum : map->bytes;
}

void resident_divide(struct resident *resident, const struct capture *capture, const struct graph *graph,
                     const struct capture_sites *sites) {
    visit_blocks(resident, &capture->heap, use_page, NULL);
    for (size_t i = 0; i < resident->map_count; i++) {
        struct resident_map *map = &resident->maps[i];
        uint64_t used = used_bytes(map);
        resident->parts[RESIDENT_IN_USE] += used;
        resident->total += map->bytes;
        map->left = map->bytes - used;
    }
    divide_mappings(resident, capture, sites, graph ? graph->site_count : 0);
    for (size_t i = 0; i < resident->map_count; i++)
        resident->parts[resident->maps[i].part] += resident->maps[i].left;
    if (graph)
        divide_sites(resident, &capture->heap, graph);
}

bool capture_resident(const struct capture_target *target, struct reason *why) {
    struct capture *capture = memory_zeros(1, sizeof *capture);
    bool is_done = capture_begin(capture, target, why);
    if (is_done)
        resident_divide(target->resident, capture, NULL, NULL);
    capture_end(capture);
    free(capture);
    return is_done;
}

void resident_free(struct resident *resident) {
    for (size_t i = 0; i < resident->map_count; i++) {
        free(resident->maps[i].is_present);
        free(resident->maps[i].used);
    }
    free(resident->maps);
    free(resident->sites);
    free(resident->mapped);
}
