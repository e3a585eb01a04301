/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/count/change.h"

#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"

/* ---- Births of blocks. */

enum { GRANULE = 16, CELLS = REGION_SIZE / GRANULE, REGIONS = SHADOW_ADDRESSES / REGION_SIZE };

/* By address modulo 16, then by region. */
static struct birth **tables[GRANULE];

static struct birth *entry_of(const void *p) {
    struct birth **table = __atomic_load_n(&tables[(uintptr_t)p % GRANULE], __ATOMIC_ACQUIRE);
    if (UNLIKELY(!table) || UNLIKELY((uintptr_t)p >= SHADOW_ADDRESSES))
        return NULL;
    struct birth *region = __atomic_load_n(&table[(uintptr_t)p / REGION_SIZE], __ATOMIC_ACQUIRE);
    return LIKELY(region != NULL) ? &region[(uintptr_t)p % REGION_SIZE / GRANULE] : NULL;
}

static COLD struct birth *entry_made(const void *p) {
    if ((uintptr_t)p >= SHADOW_ADDRESSES)
        return NULL;
    struct birth **table = shadow_made(&tables[(uintptr_t)p % GRANULE], REGIONS * sizeof *table);
    if (table)
        shadow_made(&table[(uintptr_t)p / REGION_SIZE], CELLS * sizeof **table);
    return entry_of(p);
}

bool birth_put(const void *p, struct birth birth) {
    struct birth *entry = entry_of(p);
    if (UNLIKELY(!entry))
        entry = entry_made(p);
    if (entry)
        *entry = birth;
    return entry;
}

struct birth birth_take(const void *p) {
    struct birth *entry = entry_of(p), birth = {0};
    if (entry) {
        birth = *entry;
        entry->number = 0;
    }
    return birth;
}

/* ---- Lifetimes of blocks. */

_Static_assert(SIZE_CLASSES == sizeof((struct profile_lifetimes *)0)->by_time / sizeof(uint64_t),
               "as in profiles");

/* struct profile_lifetimes by row. Parts have no rows of their own, which would take 1 KiB each. */
static struct table lifetimes = {.element = sizeof(struct profile_lifetimes),
                                 .first = PROFILE_LIFETIMES_FIRST,
                                 .fork = OS_FORK_WIPES,
                                 .areas = &store_areas,
                                 .kind = PROFILE_LIFETIMES};

/* The number of the last birth. A forked child continues from its parent's. */
static uint64_t last;

void lifetime_begins(const void *p) {
    struct birth birth = {__atomic_add_fetch(&last, 1, __ATOMIC_RELAXED), os_monotonic()};
    if (!birth_put(p, birth))
        gap_set(GAP_MEMORY);
}

static void counter_add(uint64_t *counter, uint64_t by) {
    __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
}

void lifetime_ends(uint32_t slot, struct birth birth) {
    uint64_t time = os_monotonic() - birth.time,
             others = __atomic_load_n(&last, __ATOMIC_RELAXED) - birth.number;
    struct profile_lifetimes *row = table_at(&lifetimes, slot_row(slot));
    if (!row) {
        gap_set(GAP_MEMORY);
        return;
    }
    counter_add(&row->allocations, others);
    counter_add(&row->nanoseconds, time);
    counter_add(&row->by_allocations[size_class(others)], 1);
    counter_add(&row->by_time[size_class(time)], 1);
}

void lifetimes_reset(void) {
    for (uint32_t slot = 0; slot < record_count(); slot++) {
        union lifetimes *row = table_peek(&lifetimes, slot);
        for (int i = 0; row && i < LIFETIMES_COUNTERS; i++)
            __atomic_store_n(&row->counters[i], 0, __ATOMIC_RELAXED);
    }
}
