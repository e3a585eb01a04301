/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of each slot. */
#include "slots.h"
#include "runtime.h"
#include "store.h"
#include "table.h"

static struct table slots = {.element = sizeof(struct profile_slot),
                             .first = PROFILE_SLOTS_FIRST,
                             .fork = OS_FORK_WIPES,
                             .kind = PROFILE_SLOTS};

struct profile_slot *slot_at(uint32_t slot) {
    return table_at(&slots, slot);
}

const struct profile_slot *slot_known(uint32_t slot) {
    static const struct profile_slot nothing;
    const struct profile_slot *found = table_peek(&slots, slot);
    return found ? found : &nothing;
}

static void inherit(void *incomplete, const void *p, const struct block *block) {
    (void)p;
    struct profile_slot *slot = block->slot == SLOT_OURS ? NULL : slot_at(block->slot);
    if (slot) {
        slot->inherited_blocks++;
        slot->inherited_bytes += block->size;
    } else if (block->slot != SLOT_OURS) {
        *(bool *)incomplete = true;
    }
}

bool slots_inherit_heap(void) {
    bool incomplete = false;
    if (shadow_walk(inherit, &incomplete) || incomplete)
        hole_set(HOLE_OWNERS);
    store_header()->flags |= PROFILE_IS_FORKED;
    return !hole_is_set(HOLE_OWNERS);
}

bool slots_know_inherited(void) {
    return store_header()->flags & PROFILE_IS_FORKED;
}
