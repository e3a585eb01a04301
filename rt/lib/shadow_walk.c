/* Walking the shadow table. What was never written of it is many terabytes: the process's own mappings say
 * where blocks can be, and the kernel's page map which pages of the tables were touched at all.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "reach_maps.h"
#include "shadow_regions.h"
#include "slab.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE          UINT64_C(4096)
#define CHUNK         (PAGE / sizeof(uint32_t) * SHADOW_CELL) /* addresses whose small entries share a page */
#define CHUNK_CELLS   (CHUNK / SHADOW_SMALL)
#define TOUCHED_PAGES 512

/* Linux, Documentation/admin-guide/mm/pagemap.rst: present or swapped. */
#define PAGEMAP_TOUCHED (UINT64_C(3) << 62)

/* Of one table: the walk goes through all at once. */
struct window {
    uint64_t first; /* the page whose bits come first in touched */
    size_t count;
    uint64_t touched[TOUCHED_PAGES];
};

struct walk {
    void (*visit)(void *, const void *, const struct block *);
    void *context;
    int pagemap; /* -1: cannot be read, and every page may have been touched */
    struct window small, large, second;
};

static bool page_is_touched(const struct walk *walk, struct window *window, const void *entry) {
    uint64_t page = (uintptr_t)entry / PAGE;
    if (walk->pagemap < 0)
        return true;
    if (page - window->first >= window->count) {
        long read = syscall(SYS_pread64, walk->pagemap, window->touched, sizeof window->touched, page * 8);
        window->first = page;
        window->count = read > 0 ? (size_t)read / 8 : 0;
    }
    return !window->count || window->touched[page - window->first] & PAGEMAP_TOUCHED;
}

static void visit_small(const struct walk *walk, uintptr_t address, uint32_t entry) {
    struct block block = shadow_small_block(entry >> 1);
    if (block.state == BLOCK_LIVE)
        walk->visit(walk->context, (const void *)address, &block);
}

static void visit_large(const struct walk *walk, uintptr_t address, uint64_t entry) {
    struct block block = shadow_large_block(entry, (const void *)address);
    if (block.state == BLOCK_LIVE)
        walk->visit(walk->context, (const void *)address, &block);
}

static void visit_small_in(const struct walk *walk, uintptr_t start, size_t each, uint32_t entry) {
    if (entry)
        visit_small(walk, start + entry % 2 * (each - 16), entry);
}

/* A large block starts before, at or behind the small ones of its cell. small: NULL if there are none. each:
 * bytes that a small entry stands for. */
static void walk_cell(const struct walk *walk, uintptr_t start, const uint32_t *small, size_t each,
                      uint64_t large) {
    uint64_t offset = (large & LARGE_OFFSET_MASK) >> LARGE_SIZE_BITS << 3;
    if (!small && large)
        visit_large(walk, start + offset, large);
    for (uint64_t at = 0; small && at < SHADOW_SMALL; at += each) {
        if (large && offset / each == at / each)
            visit_large(walk, start + offset, large);
        visit_small_in(walk, start + at, each, small[at / each]);
    }
}

static void walk_second(struct walk *walk, uintptr_t start) {
    const uint32_t *second = shadow.second + start / SHADOW_CELL;
    if (!shadow.second || !page_is_touched(walk, &walk->second, second))
        return;
    for (uint64_t at = 0; at < CHUNK; at += SHADOW_CELL)
        visit_small_in(walk, start + at, SHADOW_CELL, second[at / SHADOW_CELL]);
}

static void walk_chunk(struct walk *walk, uintptr_t start) {
    const uint32_t *small = shadow.small + start / SHADOW_CELL;
    const uint64_t *large = shadow.large + start / SHADOW_SMALL;
    bool has_small = page_is_touched(walk, &walk->small, small);
    bool has_large = page_is_touched(walk, &walk->large, large);
    for (uint64_t cell = 0; (has_small || has_large) && cell < CHUNK_CELLS; cell++)
        walk_cell(walk, start + cell * SHADOW_SMALL,
                  has_small ? small + cell * (SHADOW_SMALL / SHADOW_CELL) : NULL, SHADOW_CELL,
                  has_large ? large[cell] : 0);
    walk_second(walk, start);
}

static bool overlaps(const struct span *span, const void *begin, const void *end) {
    return begin && span->begin < (uintptr_t)end && span->end > (uintptr_t)begin;
}

/* The first two are one behind the other. */
static bool is_own_table(const struct span *span) {
    uint64_t addresses = (shadow.limit + 1) * 16;
    return overlaps(span, shadow.small, shadow.large + addresses / SHADOW_SMALL) ||
           overlaps(span, shadow.second, shadow.second + addresses / SHADOW_CELL);
}

static const char *walk_tables(struct walk *walk) {
    struct maps maps;
    const char *problem = maps_read(&maps);
    uintptr_t next = 0;
    for (size_t i = 0; !problem && i < maps.count; i++) {
        const struct span *span = &maps.spans[i];
        uintptr_t start = span->begin & -CHUNK;
        if (is_own_table(span) || slab_overlaps(span->begin, span->end) ||
            (span->end - 1) / 16 > shadow.limit)
            continue;
        for (start = start < next ? next : start; start < span->end; start += CHUNK)
            walk_chunk(walk, start);
        next = start;
    }
    if (!problem)
        maps_release(&maps);
    return problem;
}

static void walk_region(void *context, uintptr_t start, const struct region *region, unsigned odd) {
    const struct walk *walk = context;
    for (uint64_t cell = 0; cell < REGION_SIZE / SHADOW_SMALL; cell++)
        walk_cell(walk, start + cell * SHADOW_SMALL + odd, region->small + cell * (SHADOW_SMALL / 16), 16,
                  region->large[cell]);
}

const char *shadow_walk(void (*visit)(void *context, const void *p, const struct block *), void *context) {
    struct walk walk = {.visit = visit, .context = context};
    const char *problem = NULL;
    walk.pagemap = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (shadow.limit)
        problem = walk_tables(&walk);
    shadow_each_region(walk_region, &walk);
    if (walk.pagemap >= 0)
        syscall(SYS_close, walk.pagemap);
    return problem;
}
