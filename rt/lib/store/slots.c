/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of each slot. */
#include "lib/store/slots.h"

#include "lib/base/table.h"
#include "lib/behind/custom.h"
#include "lib/store/store.h"

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

static void inherit(uint32_t number, uint64_t bytes, bool *incomplete) {
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
        inherit(block->slot, block->size, incomplete);
}

static void inherit_custom(void *incomplete, const struct custom_block *block) {
    inherit(custom_slot(*block->entry), custom_size(*block->entry), incomplete);
    if (custom_sum_slot() != NO_SLOT)
        inherit(custom_sum_slot(), custom_size(*block->entry), incomplete);
}

bool slots_inherit_heap(void) {
    bool incomplete = false;
    custom_blocks_each(inherit_custom, &incomplete);
    if (shadow_walk(inherit_block, &incomplete) || incomplete)
        hole_set(HOLE_OWNERS);
    store_header()->flags |= PROFILE_IS_FORKED;
    return !hole_is_set(HOLE_OWNERS);
}

bool slots_know_inherited(void) {
    return store_header()->flags & PROFILE_IS_FORKED;
}
