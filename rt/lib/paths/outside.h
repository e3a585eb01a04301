/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attributes what a library without the plugin allocates to the program's line that called the library.
 *
 * Such an allocation has no site. The stack is searched outwards, from the library's call, for the first
 * frame in a module that was compiled with the plugin. The allocation is counted for the address that this
 * frame's call returns to, which debug information turns into a line: of obstack_alloc, of a member function
 * of std::string in libstdc++.so, of a function of any other library. If there is no such frame among the
 * innermost ones, the library's own address keeps it.
 *
 * The search takes some 600 instructions. Its result is kept with the words of the stack that it depends on
 * (paths/stack_cache.h), so the same stack costs a comparison of these the next time.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_PATHS_OUTSIDE_H
#define ALLOCSITE_LIB_PATHS_OUTSIDE_H

#include "lib/base/slot.h"
#include "lib/registry/registry.h"

#include <stdint.h>

/* Returns the slot to count for, given the slot of a caller outside instrumented code. Keeps errno. */
uint32_t outside_slot_searched(uint32_t slot);

/* Like outside_slot_searched, for any slot: other slots are returned unchanged. */
static inline uint32_t outside_slot(uint32_t slot) {
    const struct record *record = slot == NO_SLOT ? NULL : record_at(slot);
    return record && record->is_outside ? outside_slot_searched(slot) : slot;
}

#endif
