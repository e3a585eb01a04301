/* The shadow table: making the tables of a region, and what is not on the hot path.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "shadow.h"
#include "os.h"

#define LARGE_COUNT  (REGION_SIZE / SHADOW_SMALL)
#define TABLE_SIZE   (SMALL_TABLE_SIZE + LARGE_COUNT * sizeof(uint64_t))
#define ADDRESS_STEP 8 /* the least alignment of a block */

#define FAMILY_MASK  3u
#define SLOT_MASK    ((1u << SLOT_BITS) - 1)

struct shadow shadow;

/* The same for small blocks at odd multiples of 8, which some allocators give for up to 8 bytes. */
static struct shadow odd;

static uint64_t region_of(uintptr_t address) {
    return address >> REGION_BITS;
}

static char *table_of(uintptr_t biased, uint64_t region) {
    return (char *)(biased + region * SMALL_TABLE_SIZE);
}

/* Below this the tables, which take a quarter of the address space of the heap, would take what the program
 * needs. */
#define ADDRESS_SPACE_LEAST ((uint64_t)1 << 30)

static bool shadow_map(struct shadow *of) {
    if (os_address_space() < ADDRESS_SPACE_LEAST)
        return false;
    uintptr_t *none = NULL, *fresh = os_map(REGIONS * sizeof *fresh, OS_FORK_KEEPS);
    if (!fresh)
        return false;
    if (!__atomic_compare_exchange_n(&of->table, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        os_unmap(fresh, REGIONS * sizeof *fresh);
    __atomic_store_n(&of->count, REGIONS, __ATOMIC_RELEASE);
    return true;
}

static bool region_map(struct shadow *of, uint64_t region) {
    if (!__atomic_load_n(&of->count, __ATOMIC_ACQUIRE) && !shadow_map(of))
        return false;
    char *fresh = os_map(TABLE_SIZE, OS_FORK_KEEPS);
    uintptr_t none = 0, biased = (uintptr_t)fresh - region * SMALL_TABLE_SIZE;
    if (fresh && biased && /* 0 would read as none: then the next try finds another place */
        __atomic_compare_exchange_n(&of->table[region], &none, biased, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return true;
    if (fresh)
        os_unmap(fresh, TABLE_SIZE);
    return none != 0;
}

static char *table_at_region(const struct shadow *of, uint64_t region) {
    if (!__atomic_load_n(&of->count, __ATOMIC_ACQUIRE))
        return NULL;
    uintptr_t biased = __atomic_load_n(&of->table[region], __ATOMIC_ACQUIRE);
    return biased ? table_of(biased, region) : NULL;
}

static bool is_address(const void *p) {
    uintptr_t address = (uintptr_t)p;
    return address % ADDRESS_STEP == 0 && address >> ADDRESS_BITS == 0;
}

static struct shadow *shadow_for(const void *p) {
    return (uintptr_t)p % 16 ? &odd : &shadow;
}

static uint32_t *small_entry(const void *p) {
    uintptr_t address = (uintptr_t)p;
    char *table = table_at_region(shadow_for(p), region_of(address));
    return table ? (uint32_t *)table + address % REGION_SIZE / 16 : NULL;
}

static uint64_t *next_cell(const void *p, size_t cells) {
    return shadow_large_entry((const char *)p + cells * SHADOW_SMALL);
}

static uint64_t large_size(uint64_t entry, const void *p) {
    uint64_t size = entry & LARGE_SIZE_MASK;
    if (size < LARGE_SIZE_MASK)
        return size;
    const uint64_t *high = next_cell(p, 1), *low = next_cell(p, 2);
    return high && low ? *high << 32 | *low : size;
}

static struct block small_block(uint32_t entry) {
    return (struct block){
        .state = !entry                 ? BLOCK_NONE
                 : entry & SHADOW_FREED ? BLOCK_FREED
                                        : BLOCK_LIVE,
        .family = entry >> FAMILY_AT & FAMILY_MASK,
        .slot = entry >> KEY_SHIFT & SLOT_MASK,
        .size = entry & (SHADOW_SMALL - 1),
    };
}

static struct block large_block(uint64_t entry, const void *p) {
    uint32_t slot = (uint32_t)(entry >> LARGE_SLOT_AT) & SLOT_MASK;
    return (struct block){
        .state = !slot                 ? BLOCK_NONE
                 : entry & LARGE_FREED ? BLOCK_FREED
                                       : BLOCK_LIVE,
        .family = entry >> LARGE_FAMILY_AT & FAMILY_MASK,
        .slot = slot,
        .size = large_size(entry, p),
    };
}

struct block shadow_find(const void *p) {
    struct block small = {.state = BLOCK_NONE};
    if (!is_address(p))
        return small;
    const uint32_t *entry = small_entry(p);
    if (entry)
        small = small_block(*entry);
    const uint64_t *cell = small.state == BLOCK_LIVE ? NULL : shadow_large_entry(p);
    if (!cell || (*cell & LARGE_OFFSET_MASK) != shadow_large_offset(p))
        return small;
    struct block large = large_block(*cell, p);
    return large.state == BLOCK_NONE ? small : large;
}

static bool small_put(const void *p, uint32_t slot, enum family family, uint64_t size) {
    uint32_t *entry = small_entry(p);
    if (!entry && region_map(shadow_for(p), region_of((uintptr_t)p)))
        entry = small_entry(p);
    if (entry)
        *entry = (uint32_t)family << FAMILY_AT | KEY(slot) | (uint32_t)size;
    return entry;
}

static uint64_t *large_entry_made(const void *p) {
    uint64_t *entry = shadow_large_entry(p);
    return entry || !region_map(&shadow, region_of((uintptr_t)p)) ? entry : shadow_large_entry(p);
}

static bool put_size_aside(const char *p, uint64_t size) {
    uint64_t *high = large_entry_made(p + SHADOW_SMALL);
    uint64_t *low = large_entry_made(p + (size_t)2 * SHADOW_SMALL);
    if (!high || !low)
        return false;
    *high = size >> 32;
    *low = (uint32_t)size;
    return true;
}

static bool large_put(const void *p, uint32_t slot, enum family family, uint64_t size) {
    uint64_t *entry = large_entry_made(p);
    uint64_t kept = size < LARGE_SIZE_MASK ? size : LARGE_SIZE_MASK;
    if (!entry || (kept == LARGE_SIZE_MASK && !put_size_aside(p, size)))
        return false;
    *entry =
        (uint64_t)slot << LARGE_SLOT_AT | (uint64_t)family << LARGE_FAMILY_AT | shadow_large_offset(p) | kept;
    return true;
}

bool shadow_put(const void *p, uint32_t slot, enum family family, uint64_t size) {
    if (!is_address(p))
        return false;
    return size < SHADOW_SMALL ? small_put(p, slot, family, size) : large_put(p, slot, family, size);
}

void shadow_drop(const void *p) {
    uint32_t *entry = small_entry(p);
    if (entry && small_block(*entry).state == BLOCK_LIVE)
        *entry |= SHADOW_FREED;
    else
        *shadow_large_entry(p) |= LARGE_FREED;
}

struct walk {
    void (*visit)(void *, const void *, const struct block *);
    void *context;
};

static void visit_small(const struct walk *walk, uintptr_t address, uint32_t entry) {
    struct block block = small_block(entry);
    if (block.state == BLOCK_LIVE)
        walk->visit(walk->context, (const void *)address, &block);
}

static void visit_large(const struct walk *walk, uintptr_t address, uint64_t entry) {
    struct block block = large_block(entry, (const void *)address);
    if (block.state == BLOCK_LIVE)
        walk->visit(walk->context, (const void *)address, &block);
}

/* A large block starts before, at or behind the small ones of its cell. */
static void walk_cell(const struct walk *walk, const char *table, uint64_t cell, uintptr_t start) {
    const uint32_t *small = (const uint32_t *)table + cell * (SHADOW_SMALL / 16);
    uint64_t large = ((const uint64_t *)(table + SMALL_TABLE_SIZE))[cell];
    uint64_t offset = ((large & LARGE_OFFSET_MASK) >> LARGE_SIZE_BITS) * ADDRESS_STEP;
    for (uint64_t at = 0; at < SHADOW_SMALL; at += 16) {
        if (large && offset / 16 == at / 16)
            visit_large(walk, start + offset, large);
        if (small[at / 16])
            visit_small(walk, start + at, small[at / 16]);
    }
}

static void walk_region(const struct walk *walk, uint64_t region) {
    const char *table = table_at_region(&shadow, region);
    for (uint64_t cell = 0; table && cell < LARGE_COUNT; cell++)
        walk_cell(walk, table, cell, region * REGION_SIZE + cell * SHADOW_SMALL);
}

static void walk_odd(const struct walk *walk, uint64_t region) {
    const uint32_t *small = (const uint32_t *)table_at_region(&odd, region);
    for (uint64_t i = 0; small && i < REGION_SIZE / 16; i++)
        visit_small(walk, region * REGION_SIZE + i * 16 + 8, small[i]);
}

void shadow_walk(void (*visit)(void *context, const void *p, const struct block *), void *context) {
    const struct walk walk = {visit, context};
    for (uint64_t region = 0; region < shadow.count; region++)
        walk_region(&walk, region);
    for (uint64_t region = 0; region < odd.count; region++)
        walk_odd(&walk, region);
}
