/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/count/change.h"

#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/store/store.h"
#include "lib/who/registry.h"

_Static_assert(SIZE_CLASSES == sizeof((struct profile_lifetimes *)0)->by_time / sizeof(uint64_t),
               "as in profiles");

/* struct profile_lifetimes by row: parts have none of their own, which would take a KiB for each. */
static struct table lifetimes = {.element = sizeof(struct profile_lifetimes),
                                 .first = PROFILE_LIFETIMES_FIRST,
                                 .fork = OS_FORK_WIPES,
                                 .areas = &store_areas,
                                 .kind = PROFILE_LIFETIMES};

/* The number of the last block that came. A forked child goes on from its parent's. */
static uint64_t last;

void lifetime_begins(const void *p) {
    struct birth birth = {__atomic_add_fetch(&last, 1, __ATOMIC_RELAXED), os_monotonic()};
    if (!birth_put(p, birth))
        hole_set(HOLE_MEMORY);
}

static void add(uint64_t *counter, uint64_t by) {
    __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
}

void lifetime_ends(uint32_t slot, struct birth birth) {
    uint64_t time = os_monotonic() - birth.time,
             others = __atomic_load_n(&last, __ATOMIC_RELAXED) - birth.number;
    struct profile_lifetimes *row = table_at(&lifetimes, slot_row(slot));
    if (!row) {
        hole_set(HOLE_MEMORY);
        return;
    }
    add(&row->allocations, others);
    add(&row->nanoseconds, time);
    add(&row->by_allocations[size_class(others)], 1);
    add(&row->by_time[size_class(time)], 1);
}

const union lifetimes *lifetimes_of(uint32_t slot) {
    static const union lifetimes none;
    const union lifetimes *row = table_peek(&lifetimes, slot);
    return row ? row : &none;
}

void lifetimes_reset(void) {
    for (uint32_t slot = 0; slot < record_count(); slot++) {
        union lifetimes *row = table_peek(&lifetimes, slot);
        for (int i = 0; row && i < LIFETIMES_COUNTERS; i++)
            __atomic_store_n(&row->counters[i], 0, __ATOMIC_RELAXED);
    }
}
