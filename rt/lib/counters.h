/* What is counted for each site: the one list that the slabs, the report, JSON and CSV derive from.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_COUNTERS_H
#define ALLOCSITE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* The members of the report, in its order. COUNTED ones are counters of a slab; ABSENT ones belong to
 * the format but are not counted by this version and are reported as null. */
#define ALLOCSITE_TOTALS(COUNTED, ABSENT)                                                                    \
    COUNTED(allocs)                                                                                          \
    COUNTED(alloc_bytes)                                                                                     \
    COUNTED(reallocs)                                                                                        \
    COUNTED(realloc_bytes)                                                                                   \
    ABSENT(realloc_old_bytes)                                                                                \
    ABSENT(frees)                                                                                            \
    ABSENT(freed_bytes)                                                                                      \
    ABSENT(moved)                                                                                            \
    ABSENT(moved_bytes)                                                                                      \
    ABSENT(live_blocks)                                                                                      \
    ABSENT(live_bytes)                                                                                       \
    COUNTED(failed)                                                                                          \
    ABSENT(peak_bytes)                                                                                       \
    ABSENT(peak_blocks)

/* A site has these besides. */
#define ALLOCSITE_SITE_TOTALS(COUNTED, ABSENT) ALLOCSITE_TOTALS(COUNTED, ABSENT) ABSENT(max_live_blocks)

#define ALLOCSITE_MEMBER(name)                 uint64_t name;
#define ALLOCSITE_NOTHING(name)

struct counters {
    ALLOCSITE_SITE_TOTALS(ALLOCSITE_MEMBER, ALLOCSITE_NOTHING)
};

/* total += part, member by member. part may be counted on by another thread meanwhile. */
static inline void counters_add(struct counters *total, const struct counters *part) {
#define ALLOCSITE_ADD(name) total->name += __atomic_load_n(&part->name, __ATOMIC_RELAXED);
    ALLOCSITE_SITE_TOTALS(ALLOCSITE_ADD, ALLOCSITE_NOTHING)
#undef ALLOCSITE_ADD
}

#endif
