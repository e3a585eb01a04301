/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sizes.h"
#include "runtime.h"
#include "size_class.h"
#include "table.h"

struct shape {
    uint64_t counts[SIZE_CLASSES];
};

static struct table shapes = {.element = sizeof(struct shape), .first = 256, .fork = OS_FORK_WIPES};

bool sizes_wanted;

void sizes_add(uint32_t slot, uint64_t size) {
    struct shape *shape = table_at(&shapes, slot);
    if (shape)
        __atomic_fetch_add(&shape->counts[size_class(size)], 1, __ATOMIC_RELAXED);
    else
        hole_set(HOLE_MEMORY);
}

uint64_t *sizes_of(uint32_t slot) {
    struct shape *shape = table_peek(&shapes, slot);
    return shape ? shape->counts : NULL;
}
