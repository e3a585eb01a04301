/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the tables, and holds the functions that are not on the hot path. */
#include "lib/heap/shadow.h"

#include "lib/base/local.h"
#include "lib/base/state.h"

#include "lib/base/os.h"
#include "root.h"

#include <errno.h>

#define ADDRESS_STEP 8 /* the least alignment of a block */
#define REGIONS      (SHADOW_ADDRESSES / REGION_SIZE)

#define FAMILY_MASK  3u
#define SLOT_MASK    ((1u << SLOT_BITS) - 1)

/* The entries that are read before the tables exist. */
static uint32_t no_entries[2];
static struct shadow_large no_large_entry;

bool births_wanted;

struct shadow shadow = {.unfit = UINT64_MAX,
                        .slow_bits = UINTPTR_MAX,
                        .slow_bits_hot = UINTPTR_MAX,
                        .small = no_entries,
                        .large = &no_large_entry};

static struct regions { struct region **at; } odd, even;

static intptr_t local_distance;

const struct root_heap root_heap = {
    .small = &shadow.small,
    .large = &shadow.large,
    .second = &shadow.second,
    .end = &shadow.end,
    .even = &even.at,
    .odd = &odd.at,
    .local = &local_distance,
    .region_size = REGION_SIZE,
    .addresses = SHADOW_ADDRESSES,
    .cell = SHADOW_CELL,
    .local_size = sizeof(struct local),
    .size_bits = KEY_SHIFT,
    .slot_bits = SLOT_BITS,
    .chunk = FAMILY_CHUNK,
};

/* The address space for the tables is not available. */
static bool is_too_large;

/* With less address space than this the tables would take memory that the program needs. */
#define ADDRESS_SPACE_LEAST ((uint64_t)1 << 30)

/* Valgrind keeps the whole program below this. */
#define ADDRESS_BITS_LEAST 37

static size_t small_size(uint64_t addresses) {
    return addresses / SHADOW_CELL * sizeof(uint32_t);
}

static size_t tables_size(uint64_t addresses) {
    return small_size(addresses) + addresses / SHADOW_SMALL * sizeof(struct shadow_large);
}

static uint32_t *tables_map(uint64_t *addresses) {
    *addresses = UINT64_C(1) << ADDRESS_BITS;
    uint32_t *tables = os_map_apart(tables_size(*addresses), OS_FORK_KEEPS);
    if (tables || !os_is_simulated())
        return tables;
    *addresses = UINT64_C(1) << ADDRESS_BITS_LEAST;
    return os_map_apart(tables_size(*addresses), OS_FORK_KEEPS);
}

/* True if no two blocks of the allocator start in one cell. False until that is known. */
static bool cells_are_apart;

static void shadow_set_unfit(void) {
    uint64_t covered = __atomic_load_n(&shadow.end, __ATOMIC_ACQUIRE) / SHADOW_CELL;
    uint64_t half = __atomic_load_n(&cells_are_apart, __ATOMIC_ACQUIRE) ? 0 : SHADOW_HALF;
    if (covered)
        __atomic_store_n(&shadow.unfit, (~SHADOW_HALF & -covered) | half, __ATOMIC_RELEASE);
}

void shadow_know_allocator(bool is_glibc) {
    __atomic_store_n(&cells_are_apart, is_glibc, __ATOMIC_RELEASE);
    shadow_set_unfit();
}

void (*shadow_shown)(void);

void shadow_show(void) {
    __atomic_store_n(&shadow.slow_bits_hot, runtime_pairs || births_wanted ? UINTPTR_MAX : shadow.slow_bits,
                     __ATOMIC_SEQ_CST);
    void (*shown)(void) = __atomic_load_n(&shadow_shown, __ATOMIC_ACQUIRE);
    if (shown)
        shown();
}

/* Several threads may do this at once; all get the same result. A tool that replaces malloc, such as
 * memcheck, tracks all mapped address space, so there are no tables then. */
static __attribute__((cold)) void shadow_map(void) {
    int error = errno;
    local_distance = (intptr_t)((uintptr_t)&local - thread_pointer());
    uint64_t addresses = 0;
    uint32_t *none = no_entries, *fresh = gap_is_set(GAP_INTERPOSITION) ? NULL : tables_map(&addresses);
    errno = error;
    if (!fresh) {
        is_too_large = true;
        return;
    }
    if (!__atomic_compare_exchange_n(&shadow.small, &none, fresh, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        os_unmap_apart(fresh, tables_size(addresses));
        fresh = none;
    }
    shadow.large = (struct shadow_large *)((char *)fresh + small_size(addresses));
    __atomic_store_n(&shadow.end, addresses, __ATOMIC_RELEASE);
    __atomic_store_n(&shadow.slow_bits, -addresses | 15, __ATOMIC_RELEASE);
    shadow_show();
    shadow_set_unfit();
}

static inline void shadow_need(void) {
    if (!__atomic_load_n(&shadow.end, __ATOMIC_ACQUIRE) && !is_too_large)
        shadow_map();
}

void *shadow_made(void *where, size_t size) {
    int error = errno;
    void **at = where, *mapped = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    void *fresh =
        mapped || os_address_space() < ADDRESS_SPACE_LEAST ? NULL : os_map_apart(size, OS_FORK_KEEPS);
    bool is_taken =
        fresh && !__atomic_compare_exchange_n(at, &mapped, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (is_taken)
        os_unmap_apart(fresh, size);
    errno = error;
    return fresh && !is_taken ? fresh : mapped;
}

static struct region *region_at(const struct regions *regions, uintptr_t address) {
    struct region **at = __atomic_load_n(&regions->at, __ATOMIC_ACQUIRE);
    return at ? __atomic_load_n(&at[address / REGION_SIZE], __ATOMIC_ACQUIRE) : NULL;
}

static struct region *region_make(struct regions *regions, uintptr_t address) {
    struct region **at = shadow_made(&regions->at, REGIONS * sizeof *at);
    return at ? shadow_made(&at[address / REGION_SIZE], sizeof **at) : NULL;
}

static bool is_address(const void *p) {
    return (uintptr_t)p % ADDRESS_STEP == 0 && (uintptr_t)p < SHADOW_ADDRESSES;
}

static struct regions *regions_for(const void *p) {
    return (uintptr_t)p % 16 ? &odd : &even;
}

static bool is_in_tables(shadow_cell cell) {
    return (cell & shadow.unfit & ~SHADOW_HALF) == 0;
}

static struct shadow_large *large_entry(const void *p) {
    if ((uintptr_t)p < shadow.end)
        return shadow_large_entry(p);
    struct region *region = region_at(&even, (uintptr_t)p);
    return region ? &region->large[(uintptr_t)p % REGION_SIZE / SHADOW_SMALL] : NULL;
}

static struct shadow_large *large_entry_made(const void *p) {
    shadow_need();
    struct shadow_large *entry = large_entry(p);
    return entry || !region_make(&even, (uintptr_t)p) ? entry : large_entry(p);
}

static const char *next_cell(const void *p, size_t cells) {
    return (const char *)p + cells * SHADOW_SMALL;
}

static uint64_t large_size(const struct shadow_large *entry, const void *p) {
    if (!(entry->value & SHADOW_HUGE))
        return entry->size;
    const struct shadow_large *high = large_entry(next_cell(p, 1)), *low = large_entry(next_cell(p, 2));
    return high && low ? (uint64_t)high->size << 32 | low->size : entry->size;
}

static inline bool value_is_live(uint32_t value) {
    return shadow_value_lives(value) || value >> FAMILY_AT == (SHADOW_FREED >> FAMILY_AT | FAMILY_CHUNK);
}

static inline bool value_is_used(uint32_t value) {
    return value && !(value & SHADOW_OTHER);
}

struct block shadow_small_block(uint32_t value) {
    return (struct block){
        .size = value & (SHADOW_SMALL - 1),
        .slot = value >> KEY_SHIFT & SLOT_MASK,
        .state = value_is_live(value)   ? BLOCK_LIVE
                 : value_is_used(value) ? BLOCK_FREED
                                        : BLOCK_NONE,
        .family = value >> FAMILY_AT & FAMILY_MASK,
    };
}

static uint32_t *region_entry(const void *p) {
    struct region *region = region_at(regions_for(p), (uintptr_t)p);
    return region ? &region->small[(uintptr_t)p % REGION_SIZE / 16] : NULL;
}

static uint32_t *region_entry_made(const void *p) {
    uint32_t *entry = region_entry(p);
    return entry || !region_make(regions_for(p), (uintptr_t)p) ? entry : region_entry(p);
}

static uint32_t *second_entry(shadow_cell cell) {
    uint32_t *second = __atomic_load_n(&shadow.second, __ATOMIC_ACQUIRE);
    return second ? shadow_entry_in(second, cell) : NULL;
}

static uint32_t *second_entry_made(shadow_cell cell) {
    shadow_made(&shadow.second, small_size(shadow.end));
    return second_entry(cell);
}

/* The entry of an address, which several tables may have: the live one, otherwise the first used one. value
 * is 0 if there is none. */
struct found {
    uint32_t value, *entry;
};

static inline bool entry_lives(uint32_t *entry, uint32_t half, struct found *found) {
    uint32_t value = entry ? shadow_value(*entry, half) : 0;
    if (value_is_live(value) || (!found->value && value_is_used(value)))
        *found = (struct found){value, entry};
    return value_is_live(value);
}

static struct found small_find(const void *p) {
    struct found found = {0};
    uint32_t half;
    shadow_cell cell = shadow_find_cell(p, &half);
    bool is_there = is_in_tables(cell) && (entry_lives(shadow_entry(cell), half, &found) ||
                                           entry_lives(second_entry(cell), half, &found));
    if (!is_there)
        entry_lives(region_entry(p), half, &found);
    return found;
}

struct block shadow_large_block(const struct shadow_large *entry, const void *p) {
    struct block block = shadow_small_block(entry->value & ~SHADOW_HUGE);
    block.size = large_size(entry, p);
    return block;
}

struct block shadow_find(const void *p) {
    struct block small = {.state = BLOCK_NONE};
    if (!is_address(p))
        return small;
    small = shadow_small_block(small_find(p).value);
    const struct shadow_large *cell = small.state == BLOCK_LIVE ? NULL : large_entry(p);
    if (!cell || !shadow_large_is(cell->value, p))
        return small;
    struct block large = shadow_large_block(cell, p);
    return large.state == BLOCK_NONE ? small : large;
}

/* Returns whether p is in one of the two ranges after a huge block's start, which hold its size. */
static bool is_in_huge(const void *p) {
    for (int before = 1; before <= 2; before++) {
        const struct shadow_large *cell = large_entry((const char *)p - before * SHADOW_SMALL);
        if (cell && (cell->value & (SHADOW_HUGE | SHADOW_FREED)) == SHADOW_HUGE)
            return true;
    }
    return false;
}

bool shadow_can_hold(const void *p, uint64_t size) {
    if (!is_address(p) || size > SHADOW_ADDRESSES - (uintptr_t)p)
        return false;
    const struct shadow_large *cell = size < SHADOW_SMALL ? NULL : large_entry(p);
    return !cell || (shadow_large_block(cell, p).state != BLOCK_LIVE && !is_in_huge(p));
}

/* The bootstrap arena has adjacent blocks of 16 bytes too. */
static bool is_neighbour_live(const uint32_t *entry, uint32_t half) {
    return value_is_live(shadow_value(*entry, ~half));
}

static uint32_t *small_entry_made(const void *p) {
    uint32_t half;
    shadow_need();
    shadow_cell cell = shadow_find_cell(p, &half);
    if (!is_in_tables(cell))
        return region_entry_made(p);
    uint32_t *entry = shadow_fits(cell) ? shadow_entry(cell) : second_entry_made(cell);
    return entry && is_neighbour_live(entry, half) ? region_entry_made(p) : entry;
}

/* Returns the bits of a value above the size. */
static uint32_t value_above_size(uint32_t slot, enum family family) {
    return (family == FAMILY_CHUNK ? SHADOW_FREED : 0) | (uint32_t)family << FAMILY_AT | KEY(slot);
}

static bool small_put(uint32_t *entry, const void *p, uint32_t slot, enum family family, uint64_t size) {
    if (entry)
        shadow_encode(p, value_above_size(slot, family) | (uint32_t)size, entry);
    return entry;
}

static bool huge_put_size(const void *p, uint64_t size) {
    struct shadow_large *high = large_entry_made(next_cell(p, 1)), *low = large_entry_made(next_cell(p, 2));
    if (!high || !low)
        return false;
    *high = (struct shadow_large){.size = (uint32_t)(size >> 32)};
    *low = (struct shadow_large){.size = (uint32_t)size};
    return true;
}

static bool large_put(const void *p, uint32_t slot, enum family family, uint64_t size) {
    struct shadow_large *entry = large_entry_made(p);
    bool is_huge = size > UINT32_MAX;
    if (!entry || (is_huge && !huge_put_size(p, size)))
        return false;
    shadow_enter_large(entry, p, value_above_size(slot, family) | (is_huge ? SHADOW_HUGE : 0),
                       (uint32_t)size);
    return true;
}

bool shadow_put(const void *p, uint32_t slot, enum family family, uint64_t size) {
    if (!is_address(p))
        return false;
    return size < SHADOW_SMALL ? small_put(small_entry_made(p), p, slot, family, size)
                               : large_put(p, slot, family, size);
}

bool shadow_put_apart(const void *p, uint32_t slot, enum family family, uint64_t size) {
    if (!is_address(p))
        return false;
    return size < SHADOW_SMALL ? small_put(region_entry_made(p), p, slot, family, size)
                               : large_put(p, slot, family, size);
}

/* A custom allocator's chunk has the freed mark while it is live. Clearing its family frees it. */
static uint32_t value_dropped(uint32_t value) {
    bool is_chunk = shadow_small_block(value & ~SHADOW_HUGE).family == FAMILY_CHUNK;
    return is_chunk ? value & ~(FAMILY_MASK << FAMILY_AT) : value | SHADOW_FREED;
}

void shadow_drop(const void *p) {
    struct found small = small_find(p);
    struct shadow_large *large = large_entry(p);
    ASSERT(value_is_live(small.value) || (large && value_is_live(large->value & ~SHADOW_HUGE)));
    if (value_is_live(small.value))
        shadow_encode(p, value_dropped(small.value), small.entry);
    else
        large->value = value_dropped(large->value);
}

static void regions_each(const struct regions *regions, unsigned odd,
                         void (*visit)(void *, uintptr_t, const struct region *, unsigned), void *context) {
    struct region **at = __atomic_load_n(&regions->at, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; at && i < REGIONS; i++)
        if (at[i])
            visit(context, i * REGION_SIZE, at[i], odd);
}

void shadow_each_region(void (*visit)(void *context, uintptr_t start, const struct region *, unsigned odd),
                        void *context) {
    regions_each(&even, 0, visit, context);
    regions_each(&odd, 8, visit, context);
}

static void regions_unmap(struct regions *regions) {
    for (uint64_t i = 0; regions->at && i < REGIONS; i++)
        if (regions->at[i])
            os_unmap_apart(regions->at[i], sizeof **regions->at);
    if (regions->at)
        os_unmap_apart(regions->at, REGIONS * sizeof *regions->at);
    regions->at = NULL;
}

void shadow_forget(void) {
    uint64_t addresses = shadow.end;
    uint32_t *small = shadow.small, *second = shadow.second;
    shadow.unfit = shadow.slow_bits = UINTPTR_MAX;
    shadow_show();
    shadow.end = 0;
    shadow.small = no_entries;
    shadow.large = &no_large_entry;
    shadow.second = NULL;
    if (addresses)
        os_unmap_apart(small, tables_size(addresses));
    if (second)
        os_unmap_apart(second, small_size(addresses));
    regions_unmap(&even);
    regions_unmap(&odd);
}
