/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/collect/collect.h"

#include "lib/count/threads.h"
#include "lib/store/store.h"

#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/count/peak.h"
#include "lib/count/sums.h"
#include "lib/custom_alloc/arenas.h"
#include "lib/custom_alloc/custom.h"
#include "lib/heap/mappings.h"
#include "lib/heap/shadow.h"
#include "lib/registry/registry.h"

static void slot_inherit(uint32_t number, uint64_t bytes, bool *incomplete) {
    struct profile_slot *slot = slot_at(number);
    if (slot) {
        slot->inherited_blocks++;
        slot->inherited_bytes += bytes;
    } else {
        *incomplete = true;
    }
}

static void inherit_block(void *incomplete, const void *p, const struct block *block) {
    (void)p;
    if (block->slot != SLOT_OURS)
        slot_inherit(block->slot, block->size, incomplete);
}

static void inherit_custom(void *incomplete, const struct custom_block *block) {
    slot_inherit(custom_slot(*block->entry), custom_size(*block->entry), incomplete);
    if (custom_sum_slot() != NO_SLOT)
        slot_inherit(custom_sum_slot(), custom_size(*block->entry), incomplete);
}

static void inherit_mapping(void *incomplete, const struct mapping *mapping) {
    slot_inherit(mapping->slot, mapping->end - mapping->begin, incomplete);
}

static bool inherit_heap(void) {
    bool incomplete = false;
    custom_blocks_each(inherit_custom, &incomplete);
    mappings_each(inherit_mapping, &incomplete);
    if (shadow_walk(inherit_block, &incomplete, slab_overlaps) || incomplete)
        gap_set(GAP_OWNERS);
    return !gap_is_set(GAP_OWNERS);
}

static void inherited_set_known(void) {
    __atomic_fetch_and(&store_header()->flags, ~(uint32_t)PROFILE_INHERITS, __ATOMIC_RELAXED);
    __atomic_fetch_or(&store_header()->flags, PROFILE_IS_FORKED, __ATOMIC_RELEASE);
}

bool slots_inherit_heap(void) {
    bool is_whole = inherit_heap();
    inherited_set_known();
    return is_whole;
}

bool slots_know_inherited(void) {
    return __atomic_load_n(&store_header()->flags, __ATOMIC_ACQUIRE) & PROFILE_IS_FORKED;
}

/* Without owners, only custom allocators' blocks are ever released, so only these are inherited. */
static bool may_inherit(uint32_t number, const struct sum *sum) {
    if (!runtime_owners)
        return sum->released || slot_known(number)->inherited_blocks;
    return sum->allocated || sum->released;
}

static void subtract_counted(void) {
    for (uint32_t number = 1; number < record_count(); number++) {
        struct sum sum;
        sum_slot(number, &sum);
        struct profile_slot *slot = may_inherit(number, &sum) ? slot_at(number) : NULL;
        if (!slot)
            continue;
        slot->inherited_blocks -= sum.allocated - sum.released;
        slot->inherited_bytes -= sum.allocated_bytes - sum.released_bytes;
    }
}

/* Two threads that ask at the same time must not count the blocks twice. */
void sums_know_inherited(void) {
    static int32_t owner;
    if (!runtime_was_forked() || slots_know_inherited())
        return;
    uint64_t signals = os_signals_hold();
    (void)os_lock(&owner);
    if (!slots_know_inherited() && inherit_heap())
        subtract_counted();
    inherited_set_known();
    os_unlock(&owner);
    os_signals_release(signals);
}

/* An odd number of resets is the lock. A forked child finds it open. */
static void reset_begin(struct profile_header *header) {
    for (uint32_t tries = 1;; tries++) {
        uint64_t resets = __atomic_load_n(&header->resets, __ATOMIC_ACQUIRE);
        if (resets % 2 == 0 && __atomic_compare_exchange_n(&header->resets, &resets, resets + 1, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return;
        os_wait(tries);
    }
}

void counters_reset(void) {
    struct profile_header *header = store_header();
    uint64_t signals = os_signals_hold();
    reset_begin(header);
    sums_know_inherited();
    peak_reset();
    sums_reset();
    header->walks.without_stack = 0;
    header->wrong_contexts = 0;
    pairs_reset();
    sizes_reset();
    lifetimes_reset();
    __atomic_fetch_add(&header->resets, 1, __ATOMIC_ACQ_REL);
    os_signals_release(signals);
}
