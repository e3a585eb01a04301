/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/heap/shadow.h"

#include "lib/base/macros.h"

enum { GRANULE = 16, CELLS = REGION_SIZE / GRANULE, REGIONS = SHADOW_ADDRESSES / REGION_SIZE };

bool births_wanted;

/* By the address modulo 16, and by region. */
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
