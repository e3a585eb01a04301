/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The option fail: makes one allocation of the program fail, as if memory had run out.
 *
 * While the option waits for its allocation, all events take the slow path (threads_watch), as they do for
 * hooks, so the hot path does not test for it. The slow path knows the slot of the event, that is its site
 * and its call path, and asks fail_now whether this allocation must fail:
 *
 *   - malloc and similar functions: after the underlying allocator has returned a block, which the runtime
 *     then frees (acct/acct.c). The hot path calls the allocator first, and only the slow path can be changed
 *     for free.
 *   - realloc: before the call, so that the old block stays.
 *   - operator new: before the call (calls/new_interposed.c), so that the new handler runs and std::bad_alloc
 *     is thrown as by the C++ library. The entries return a non-NULL result of the hot path unchecked.
 *
 * After the failure, events return to the hot path.
 *
 * Rejected: a failing function in place of the underlying allocator's. It would need no code in the slow
 * path, but does not know the site, and would have to walk the stack and to name it a second time. */
#ifndef ALLOCSITE_LIB_HOOK_FAIL_H
#define ALLOCSITE_LIB_HOOK_FAIL_H

#include "lib/base/local.h"
#include "lib/base/macros.h"

#include <stdbool.h>
#include <stdint.h>

extern bool fail_is_set __attribute__((visibility("hidden")));

/* where: SITE[:N], a site as reports print it; or @ID[:N], the id of a call path (path_id_more). Returns
 * false if it has another form. */
bool fail_begin(const char *where);

/* Returns whether the allocation that is about to be counted for the slot fails. */
bool fail_reached(uint32_t slot);

/* Returns whether acct_fails may be true. */
static inline bool fail_may_come(void) {
    return __atomic_load_n(&fail_is_set, __ATOMIC_RELAXED) || local.fails_next;
}

static inline bool fail_now(uint32_t slot) {
    return UNLIKELY(__atomic_load_n(&fail_is_set, __ATOMIC_RELAXED)) && fail_reached(slot);
}

#endif
