/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots that are parts of others. */
#include "lib/who/registry.h"

#include "lib/base/slot.h"
#include "lib/base/state.h"

#include "base/hash.h"
#include "lib/base/table.h"
#include "lib/store/store.h"

static struct table backings = {.element = sizeof(uint32_t), .first = 256}; /* by slot; 0: it has none */
static struct index stacks = INDEX_OF(SLOT_BITS, 1u << 14);
static uint32_t stack_count;

static uint64_t limit = UINT64_MAX;

void part_stacks_limit(uint64_t most) {
    limit = most;
}

/* A quarter of all slots, or fewer; sites and callers have the rest. */
static uint32_t most_stacks(void) {
    uint32_t most = slots_most() / 4;
    return limit < most ? (uint32_t)limit : most;
}

static uint32_t add_backing(uint32_t slot) {
    struct record record = *record_at(slot);
    record.what = PROFILE_BACKING;
    record.parent = slot;
    record.is_listed = false; /* what its callers bill is theirs already */
    return record_add(&record);
}

uint32_t slot_row(uint32_t slot) {
    uint32_t parent = record_stack(slot).parent;
    return parent ? parent : slot;
}

bool slot_is_backing(uint32_t slot) {
    const struct record *record = record_at(slot);
    return record && record->what == PROFILE_BACKING;
}

bool slot_is_in_totals(uint32_t slot) {
    const struct record *record = record_at(slot);
    return record && record->what != PROFILE_BACKING && record->what != PROFILE_CUSTOM;
}

uint32_t part_backing(uint32_t slot) {
    slot = slot_row(slot);
    if (slot_is_backing(slot))
        return slot;
    uint32_t *place = record_at(slot) ? table_at(&backings, slot) : NULL, found = 0;
    if (!place) {
        hole_set(HOLE_MEMORY);
        return NO_SLOT;
    }
    found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found)
        return found;
    uint32_t fresh = add_backing(slot);
    if (fresh == NO_SLOT ||
        __atomic_compare_exchange_n(place, &found, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    record_drop(fresh);
    return found;
}

static bool is_stack(uint32_t part, const void *wanted) {
    struct stack_record there = record_stack(part);
    const struct stack_record *key = wanted;
    return there.parent == key->parent && there.stack == key->stack;
}

bool part_stack_has_room(void) {
    return __atomic_load_n(&stack_count, __ATOMIC_RELAXED) < most_stacks();
}

uint32_t part_stack(uint32_t slot, profile_name stack, bool *is_new) {
    struct stack_record key = {slot, stack};
    struct index_seek seek = {.hash = hash_more(slot, stack), .same = is_stack, .key = &key};
    uint32_t found = *is_new ? index_end(&stacks, &seek) : index_find(&stacks, &seek);
    *is_new = false;
    if (found)
        return found;
    if (!part_stack_has_room())
        return NO_SLOT;
    uint32_t fresh = record_add_stack(key);
    found = fresh == NO_SLOT ? 0 : index_add(&stacks, &seek, fresh);
    *is_new = found == fresh;
    if (*is_new)
        __atomic_fetch_add(&stack_count, 1, __ATOMIC_RELAXED);
    else if (fresh != NO_SLOT)
        record_drop(fresh);
    return found ? found : NO_SLOT;
}
