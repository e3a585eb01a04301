/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks the shadow table. Most of its many terabytes were never written. The process's mappings show where
 * blocks can be, and the kernel's page map shows which pages of the tables were touched. */
#define _GNU_SOURCE
#include "lib/base/os.h"
#include "lib/heap/shadow.h"

#include <sys/syscall.h>
#include <unistd.h>

/* The addresses whose small entries share a page of the table. */
#define CHUNK       (UINT64_C(4096) / sizeof(uint32_t) * SHADOW_CELL)
#define CHUNK_CELLS (CHUNK / SHADOW_SMALL)

struct walk {
    void (*visit)(void *, const void *, const struct block *);
    void *context;
    bool (*is_other)(uintptr_t begin, uintptr_t end);
    int pagemap;                       /* from pages_open */
    struct pages small, large, second; /* the walk reads all tables in parallel */
};

static bool is_touched(const struct walk *walk, struct pages *pages, const void *entry) {
    return pages_touched(pages, walk->pagemap, (uintptr_t)entry);
}

static void visit_live(const struct walk *walk, uintptr_t address, const struct block *block) {
    if (block->state == BLOCK_LIVE)
        walk->visit(walk->context, (const void *)address, block);
}

static void visit_small(const struct walk *walk, uintptr_t address, uint32_t entry) {
    struct block block = shadow_small_block(entry >> 1);
    visit_live(walk, address, &block);
}

static void visit_large(const struct walk *walk, uintptr_t address, const struct shadow_large *entry) {
    struct block block = shadow_large_block(entry, (const void *)address);
    visit_live(walk, address, &block);
}

/* The entries of a range of SHADOW_SMALL bytes. */
struct cell {
    uintptr_t start;
    const uint32_t *small, *second;   /* NULL: none */
    size_t each;                      /* bytes of address space per small entry */
    const struct shadow_large *large; /* NULL: no large block starts here */
};

/* Returns the small entry of a block that starts in the 16 bytes from `at` on; 0 if there is none. */
static uint32_t entry_at(const uint32_t *entries, size_t each, uint64_t at) {
    uint32_t entry = entries ? entries[at / each] : 0;
    return each == 16 || entry % 2 == at / 16 % 2 ? entry : 0;
}

static void walk_cell(const struct walk *walk, const struct cell *cell) {
    uint64_t offset = cell->large ? cell->large->value % SHADOW_SMALL : 0;
    bool has_small = cell->small || cell->second;
    if (!has_small && cell->large)
        visit_large(walk, cell->start + offset, cell->large);
    for (uint64_t at = 0; has_small && at < SHADOW_SMALL; at += 16) {
        if (cell->large && offset / 16 == at / 16)
            visit_large(walk, cell->start + offset, cell->large);
        visit_small(walk, cell->start + at, entry_at(cell->small, cell->each, at));
        visit_small(walk, cell->start + at, entry_at(cell->second, cell->each, at));
    }
}

static void walk_chunk(struct walk *walk, uintptr_t start) {
    size_t first = start / SHADOW_CELL;
    const uint32_t *small = shadow.small + first, *second = shadow.second ? shadow.second + first : NULL;
    const struct shadow_large *large = shadow.large + start / SHADOW_SMALL;
    bool has_small = is_touched(walk, &walk->small, small);
    bool has_large = is_touched(walk, &walk->large, large);
    bool has_second = second && is_touched(walk, &walk->second, second);
    for (uint64_t i = 0; (has_small || has_large || has_second) && i < CHUNK_CELLS; i++) {
        size_t at = i * (SHADOW_SMALL / SHADOW_CELL);
        struct cell cell = {start + i * SHADOW_SMALL, has_small ? small + at : NULL,
                            has_second ? second + at : NULL, SHADOW_CELL,
                            has_large && large[i].value ? large + i : NULL};
        walk_cell(walk, &cell);
    }
}

static bool span_overlaps(const struct span *span, const void *table, uint64_t size) {
    uintptr_t begin = (uintptr_t)table;
    return table && span->begin < begin + size && span->end > begin;
}

/* `small` and `large` are adjacent. */
static bool is_shadow_table(const struct span *span) {
    const uint64_t small = shadow.end / SHADOW_CELL * sizeof *shadow.small,
                   large = shadow.end / SHADOW_SMALL * sizeof *shadow.large;
    return span_overlaps(span, shadow.small, small + large) || span_overlaps(span, shadow.second, small);
}

static const char *walk_tables(struct walk *walk) {
    struct maps maps;
    const char *problem = maps_read(&maps);
    uintptr_t next = 0;
    for (size_t i = 0; !problem && i < maps.count; i++) {
        const struct span *span = &maps.spans[i];
        uintptr_t start = span->begin & -CHUNK;
        if (is_shadow_table(span) || walk->is_other(span->begin, span->end) || span->end > shadow.end)
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
    for (uint64_t i = 0; i < REGION_SIZE / SHADOW_SMALL; i++) {
        struct cell cell = {start + i * SHADOW_SMALL + odd, region->small + i * (SHADOW_SMALL / 16), NULL, 16,
                            region->large[i].value ? &region->large[i] : NULL};
        walk_cell(walk, &cell);
    }
}

const char *shadow_walk(void (*visit)(void *context, const void *p, const struct block *), void *context,
                        bool (*is_other)(uintptr_t begin, uintptr_t end)) {
    struct walk walk = {.visit = visit, .context = context, .is_other = is_other};
    const char *problem = NULL;
    walk.pagemap = pages_open();
    if (shadow.end)
        problem = walk_tables(&walk);
    shadow_each_region(walk_region, &walk);
    if (walk.pagemap >= 0)
        syscall(SYS_close, walk.pagemap);
    return problem;
}
