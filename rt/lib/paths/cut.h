/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cut paths: the part of a call path that is kept if there is no room for more whole paths.
 *
 * A cut path has the innermost calls: the calls in pass-through code, the first call in other code, which is
 * the line of the allocation by default, and three callers of this line, not counting pass-through code. If
 * an address occurs again further out, it is omitted there, so recursion is shown once. Cut paths are so few
 * that programs with millions of whole paths have room for them.
 *
 * A cut path is a number while the program runs. Only the cut paths of parts become chains of steps, like
 * whole paths (struct profile_step), with PROFILE_CUT outermost. The cut path of a caller and the address of
 * a call determine the cut path of the callee. So if stacks differ only in their innermost frames, only these
 * frames are looked at (steps.c).
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_PATHS_CUT_H
#define ALLOCSITE_LIB_PATHS_CUT_H

#include "lib/base/cache.h"
#include "lib/base/macros.h"
#include "profile.h"

#include <stdint.h>

/* The cut paths of callees, by the cut path of the caller and the address. */
enum { CUT_CALLEES_BITS = 12 };
extern struct cache_entry cut_callees[1u << CUT_CALLEES_BITS] __attribute__((visibility("hidden")));

uint32_t cut_make(uint32_t caller, const void *address, uint32_t unloads_before, struct cache_key);

/* Returns the cut path with this return address innermost; 0 if there is no room. caller: the cut path of the
 * caller; 0: there is none. */
static inline uint32_t cut_on(uint32_t caller, const void *address, uint32_t unloads_before) {
    struct cache_key key = {(uintptr_t)address ^ unloads_before * CACHE_FACTOR, caller};
    uint32_t cut = cache_get(cache_at(cut_callees, CUT_CALLEES_BITS, key), key);
    return LIKELY(cut) ? cut : cut_make(caller, address, unloads_before, key);
}

/* Returns the innermost step of a cut path, with at most the given number of callers of its line; 0 if memory
 * is out. */
profile_name cut_path(uint32_t cut, uint32_t callers);

#endif
