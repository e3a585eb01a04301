/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of custom allocators' blocks. */
#include "lib/custom_alloc/arenas.h"

#include "lib/base/macros.h"
#include "lib/base/slot.h"

#include "lib/heap/shadow.h"

enum {
    GRANULE = 16,
    DEPTHS = 4, /* limit of blocks at the same address */
    CELLS = REGION_SIZE / GRANULE,
    REGIONS = SHADOW_ADDRESSES / REGION_SIZE,
};

_Static_assert(SLOT_BITS <= 20, "the slot of an entry");

/* Indexed by address / REGION_SIZE. */
struct custom_tables {
    uint64_t **entries;
    uint32_t **nodes;
};

static struct custom_tables tables[DEPTHS][GRANULE];

/* Bit n: tables for addresses that are n modulo 16 exist. */
static uint32_t in_use[DEPTHS];

static uint32_t offset_bit(const void *p) {
    return 1u << (uintptr_t)p % GRANULE;
}

static inline bool is_in_use(const void *p, uint32_t depth) {
    return __atomic_load_n(&in_use[depth], __ATOMIC_RELAXED) & offset_bit(p);
}

static inline struct custom_tables *tables_for(const void *p, uint32_t depth) {
    return &tables[depth][(uintptr_t)p % GRANULE];
}

static inline size_t cell_of(const void *p) {
    return (uintptr_t)p % REGION_SIZE / GRANULE;
}

static inline void *region_of(void *table, const void *p) {
    void **regions = __atomic_load_n((void ***)table, __ATOMIC_ACQUIRE);
    return regions ? __atomic_load_n(&regions[(uintptr_t)p / REGION_SIZE], __ATOMIC_ACQUIRE) : NULL;
}

static COLD void *region_make(void *table, const void *p, size_t element) {
    void **regions = shadow_made(table, REGIONS * sizeof *regions);
    return regions ? shadow_made(&regions[(uintptr_t)p / REGION_SIZE], CELLS * element) : NULL;
}

static inline void *region_made(void *table, const void *p, size_t element) {
    void *region = region_of(table, p);
    return LIKELY(region != NULL) ? region : region_make(table, p, element);
}

struct custom_block custom_block_at(const void *p, uint32_t depth) {
    struct custom_block none = {.p = p};
    uint64_t *entries = (uintptr_t)p < SHADOW_ADDRESSES ? region_of(&tables_for(p, depth)->entries, p) : NULL;
    if (!entries || !(entries[cell_of(p)] & CUSTOM_LIVE))
        return none;
    return (struct custom_block){p, &entries[cell_of(p)], depth};
}

uint64_t *custom_block_alone(const void *p) {
    uint64_t *entries = NULL;
    if (LIKELY((uintptr_t)p < SHADOW_ADDRESSES) && LIKELY(!is_in_use(p, 1)))
        entries = region_of(&tables_for(p, 0)->entries, p);
    return LIKELY(entries != NULL) ? &entries[cell_of(p)] : NULL;
}

struct custom_block custom_block_find(const void *p, bool prefers_chunks) {
    struct custom_block second = {.p = p};
    for (uint32_t depth = DEPTHS; depth-- > 0;) {
        if (!is_in_use(p, depth))
            continue;
        struct custom_block found = custom_block_at(p, depth);
        if (found.entry && prefers_chunks == !!(*found.entry & CUSTOM_CHUNK))
            return found;
        if (found.entry && !second.entry)
            second = found;
    }
    return second;
}

struct custom_block custom_block_put(const void *p, uint32_t slot, uint64_t size, bool is_chunk) {
    struct custom_block block = {.p = p};
    while (block.depth < DEPTHS && custom_block_at(p, block.depth).entry)
        block.depth++;
    if (block.depth == DEPTHS || (uintptr_t)p >= SHADOW_ADDRESSES || size > CUSTOM_SIZE_MASK)
        return block;
    uint64_t *entries = region_made(&tables_for(p, block.depth)->entries, p, sizeof *entries);
    if (!entries)
        return block;
    if (!is_in_use(p, block.depth))
        __atomic_fetch_or(&in_use[block.depth], offset_bit(p), __ATOMIC_RELAXED);
    block.entry = &entries[cell_of(p)];
    *block.entry = CUSTOM_LIVE | (is_chunk ? CUSTOM_CHUNK : 0) | (uint64_t)slot << CUSTOM_SIZE_BITS | size;
    return block;
}

uint32_t *custom_block_node(const struct custom_block *block, bool make) {
    uint32_t ***table = &tables_for(block->p, block->depth)->nodes;
    uint32_t *nodes =
        make ? region_made(table, block->p, sizeof *nodes) : (uint32_t *)region_of(table, block->p);
    return nodes ? &nodes[cell_of(block->p)] : NULL;
}

/* Visits the blocks of one region, one depth and one remainder modulo 16. */
static void visit_cells(uint32_t depth, uintptr_t from, uintptr_t to, custom_visitor *visit, void *context) {
    const uint64_t *entries = region_of(&tables[depth][from % GRANULE].entries, (const void *)from);
    for (; entries && from < to; from += GRANULE) {
        if (!(entries[cell_of((const void *)from)] & CUSTOM_LIVE))
            continue;
        struct custom_block block = custom_block_at((const void *)from, depth);
        visit(context, &block);
    }
}

static void visit_depth(uint32_t depth, uintptr_t from, uintptr_t to, custom_visitor *visit, void *context) {
    uint32_t used = __atomic_load_n(&in_use[depth], __ATOMIC_RELAXED);
    for (uint32_t offset = 0; offset < GRANULE; offset++) {
        uintptr_t first = from + (offset - from) % GRANULE;
        if (used & 1u << offset && first < to)
            visit_cells(depth, first, to, visit, context);
    }
}

/* Calls visit_cells for one region at a time. */
void custom_blocks_within(const void *start, uint64_t size, custom_visitor *visit, void *context) {
    uintptr_t from = (uintptr_t)start, end = from + size;
    end = from >= SHADOW_ADDRESSES ? from : end < from || end > SHADOW_ADDRESSES ? SHADOW_ADDRESSES : end;
    for (uint32_t depth = 0; depth < DEPTHS && __atomic_load_n(&in_use[depth], __ATOMIC_RELAXED); depth++) {
        for (uintptr_t at = from; at < end;) {
            uintptr_t next = (at | (REGION_SIZE - 1)) + 1;
            visit_depth(depth, at, next < end ? next : end, visit, context);
            at = next;
        }
    }
}

static void visit_regions(uint32_t depth, uint32_t offset, custom_visitor *visit, void *context) {
    uint64_t **regions = __atomic_load_n(&tables[depth][offset].entries, __ATOMIC_ACQUIRE);
    for (uintptr_t i = 0; regions && i < REGIONS; i++)
        if (__atomic_load_n(&regions[i], __ATOMIC_ACQUIRE))
            visit_cells(depth, i * REGION_SIZE + offset, (i + 1) * REGION_SIZE, visit, context);
}

void custom_blocks_each(custom_visitor *visit, void *context) {
    for (uint32_t depth = 0; depth < DEPTHS; depth++)
        for (uint32_t offset = 0; offset < GRANULE; offset++)
            visit_regions(depth, offset, visit, context);
}
