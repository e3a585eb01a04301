/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots that are parts of others. */
#include "lib/who/parts.h"

#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/who/registry.h"

#include "base/hash.h"
#include "lib/base/table.h"
#include "lib/store/slots.h"

static struct table backings = {.element = sizeof(uint32_t), .first = 256}; /* by slot; 0: it has none */
static struct index stacks = INDEX_OF(1u << 16);
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

static uint32_t add_part(uint32_t slot, enum profile_what what, profile_name stack) {
    struct record record = *record_at(slot);
    record.what = what;
    record.parent = slot;
    record.stack = stack;
    record.keeps_stacks = what == PROFILE_BACKING && record.keeps_stacks;
    record.is_listed = false; /* what its callers bill is theirs already */
    return record_add(&record);
}

uint32_t slot_row(uint32_t slot) {
    const struct record *record = record_at(slot);
    return record && record->what == PROFILE_STACK ? record->parent : slot;
}

bool slot_is_backing(uint32_t slot) {
    const struct record *record = record_at(slot_row(slot));
    return record && record->what == PROFILE_BACKING;
}

bool slot_is_in_totals(uint32_t slot) {
    const struct record *record = record_at(slot_row(slot));
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
    uint32_t fresh = add_part(slot, PROFILE_BACKING, 0);
    if (fresh == NO_SLOT ||
        __atomic_compare_exchange_n(place, &found, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    record_drop(fresh);
    return found;
}

struct stack_key {
    uint32_t slot;
    profile_name stack;
};

static bool is_stack(uint32_t part, const void *wanted) {
    const struct stack_key *key = wanted;
    const struct record *record = record_at(part);
    return record && record->parent == key->slot && record->stack == key->stack;
}

bool part_stack_has_room(void) {
    return __atomic_load_n(&stack_count, __ATOMIC_RELAXED) < most_stacks();
}

uint32_t part_stack(uint32_t slot, profile_name stack, bool *is_new) {
    struct stack_key key = {slot, stack};
    uint64_t hash = hash_more(slot, stack);
    uint32_t found = index_find(&stacks, hash, is_stack, &key);
    *is_new = false;
    if (found)
        return found;
    if (!part_stack_has_room())
        return NO_SLOT;
    uint32_t fresh = add_part(slot, PROFILE_STACK, stack);
    found = fresh == NO_SLOT ? 0 : index_add(&stacks, hash, is_stack, &key, fresh);
    *is_new = found == fresh;
    if (*is_new)
        __atomic_fetch_add(&stack_count, 1, __ATOMIC_RELAXED);
    else if (fresh != NO_SLOT)
        record_drop(fresh);
    return found ? found : NO_SLOT;
}
