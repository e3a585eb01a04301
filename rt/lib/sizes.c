/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sizes.h"
#include "parts.h"
#include "size_class.h"
#include "table.h"

_Static_assert(SIZE_CLASSES == sizeof((struct profile_sizes *)0)->counts / sizeof(uint64_t),
               "as in profiles");

static struct table shapes = {.element = sizeof(struct profile_sizes),
                              .first = PROFILE_SIZES_FIRST,
                              .fork = OS_FORK_WIPES,
                              .kind = PROFILE_SIZES};

bool sizes_wanted;

void sizes_add(uint32_t slot, uint64_t size) {
    struct profile_sizes *shape = table_at(&shapes, slot_row(slot));
    if (shape)
        __atomic_fetch_add(&shape->counts[size_class(size)], 1, __ATOMIC_RELAXED);
    else
        hole_set(HOLE_MEMORY);
}

const uint64_t *sizes_of(uint32_t slot) {
    static const struct profile_sizes none;
    const struct profile_sizes *shape = table_peek(&shapes, slot);
    return shape ? shape->counts : none.counts;
}

void sizes_reset(void) {
    for (uint32_t slot = 0; slot < record_count(); slot++) {
        struct profile_sizes *shape = table_peek(&shapes, slot);
        for (int i = 0; shape && i < SIZE_CLASSES; i++)
            __atomic_store_n(&shape->counts[i], 0, __ATOMIC_RELAXED);
    }
}
