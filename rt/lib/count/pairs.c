/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs of slots: a hash table that grows by tables of doubling size. */
#include "lib/count/pairs.h"

#include "base/arrays.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/store/store.h"

#include "lib/registry/registry.h"

#define FIRST  PROFILE_PAIRS_FIRST
#define CHUNKS (TABLE_CHUNKS - PAIRS_FIRST_BITS)
#define PROBES 16u

/* Wiped by fork: a child counts its own. */
struct table pairs = {.element = sizeof(struct profile_pair),
                      .first = FIRST,
                      .fork = OS_FORK_WIPES,
                      .areas = &store_areas,
                      .kind = PROFILE_PAIRS};

static bool pair_is(struct profile_pair *pair, uint64_t key, bool *fresh) {
    uint64_t found = __atomic_load_n(&pair->key, __ATOMIC_ACQUIRE);
    if (found == 0)
        *fresh =
            __atomic_compare_exchange_n(&pair->key, &found, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return *fresh || found == key;
}

/* Each chunk is a separate hash table. After PROBES places in one, the search continues in the next. */
static struct profile_pair *pair_find(uint64_t key, bool *fresh) {
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        uint32_t size = (uint32_t)chunk_size(FIRST, chunk), start = (uint32_t)chunk_start(FIRST, chunk);
        uint32_t home = pair_hash(key, PAIRS_FIRST_BITS + chunk);
        for (uint32_t probe = 0; probe < PROBES; probe++) {
            struct profile_pair *pair = table_at(&pairs, start + (home + probe) % size);
            if (!pair)
                return NULL;
            if (pair_is(pair, key, fresh))
                return pair;
        }
    }
    return NULL;
}

void (*pair_fault_found)(enum pair_kind, uint32_t owner, uint32_t by);

void pair_count(enum pair_kind kind, uint32_t owner, uint32_t by, uint64_t bytes) {
    by = by == NO_SLOT ? 0 : by;
    if (pair_is_fault(kind)) { /* each fault is reported once for its two sites, whatever their call paths */
        owner = slot_row(owner);
        by = slot_row(by);
    }
    uint64_t key = pair_key(kind, owner, by);
    bool fresh = false;
    struct profile_pair *pair = pair_find(key, &fresh);
    if (!pair) {
        gap_set(GAP_MEMORY);
        return;
    }
    pair_add(pair, bytes);
    if (fresh && pair_is_fault(kind) && pair_fault_found)
        pair_fault_found(kind, owner, by);
}

static uint32_t pairs_count(void) {
    uint32_t chunk = 0;
    while (chunk < CHUNKS && table_peek(&pairs, (uint32_t)chunk_start(FIRST, chunk)))
        chunk++;
    return (uint32_t)chunk_start(FIRST, chunk);
}

void pairs_reset(void) {
    for (uint32_t place = 0; place < pairs_count(); place++) {
        struct profile_pair *pair = table_peek(&pairs, place);
        __atomic_store_n(&pair->count, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&pair->bytes, 0, __ATOMIC_RELAXED);
    }
}
