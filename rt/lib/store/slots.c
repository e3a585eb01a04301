/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of slots. */
#include "lib/store/slots.h"

#include "lib/base/table.h"
#include "lib/store/store.h"

static struct table slots = {.element = sizeof(struct profile_slot),
                             .first = PROFILE_SLOTS_FIRST,
                             .fork = OS_FORK_WIPES,
                             .areas = &store_areas,
                             .kind = PROFILE_SLOTS};

struct profile_slot *slot_at(uint32_t slot) {
    return table_at(&slots, slot);
}

const struct profile_slot *slot_known(uint32_t slot) {
    static const struct profile_slot nothing;
    const struct profile_slot *found = table_peek(&slots, slot);
    return found ? found : &nothing;
}

static uint32_t most = SLOTS_MOST;

uint32_t slots_most(void) {
    return __atomic_load_n(&most, __ATOMIC_RELAXED);
}

void slots_limit(uint32_t fewer) {
    __atomic_store_n(&most, fewer, __ATOMIC_RELAXED);
}
