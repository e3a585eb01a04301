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

#include "lib/base/macros.h"
#include "profile.h"

#include <stdbool.h>
#include <stdint.h>

/* A cache of cut paths. The first word of an entry has the cut path and its caller's cut path. The second
 * word has the address and the number of unloads before, mixed with the first word. Halves of two different
 * entries match only as often as hashes of 64 bits are equal. */
enum { CUT_MADE_BITS = 14 };
#define CUT_MIX 0x9E3779B97F4A7C15u
extern struct cut_made {
    uint64_t cuts, address;
} cut_made[1u << CUT_MADE_BITS] __attribute__((visibility("hidden")));

static inline uint64_t cut_from(const void *address, uint32_t unloads_before) {
    return (uintptr_t)address ^ (uint64_t)unloads_before << 48;
}

static inline struct cut_made *cut_place(uint32_t caller, const void *address, uint32_t unloads_before) {
    uint64_t mixed = (cut_from(address, unloads_before) ^ (uint64_t)caller << 20) * CUT_MIX;
    return &cut_made[mixed >> (64 - CUT_MADE_BITS)];
}

uint32_t cut_make(uint32_t caller, const void *address, uint32_t unloads_before);

/* Returns the cut path with this return address innermost; 0 if there is no room. caller: the cut path of the
 * caller; 0: there is none. */
static inline uint32_t cut_on(uint32_t caller, const void *address, uint32_t unloads_before) {
    const struct cut_made *place = cut_place(caller, address, unloads_before);
    uint64_t cuts = __atomic_load_n(&place->cuts, __ATOMIC_RELAXED);
    uint64_t mixed = __atomic_load_n(&place->address, __ATOMIC_RELAXED) ^ cuts * CUT_MIX;
    bool is_it = mixed == cut_from(address, unloads_before) && (uint32_t)cuts == caller && cuts >> 32;
    return LIKELY(is_it) ? (uint32_t)(cuts >> 32) : cut_make(caller, address, unloads_before);
}

/* Returns the innermost step of a cut path, with at most the given number of callers of its line; 0 if memory
 * is out. */
profile_name cut_path(uint32_t cut, uint32_t callers);

#endif
