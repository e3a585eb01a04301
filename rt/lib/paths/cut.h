/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cut paths: what is kept of a call path once there is no room for more whole ones.
 *
 * A cut path has the innermost calls: those in code that passes through, the first one in other code, which
 * is the line of the allocation by default, and three callers of that, not counting code that passes through.
 * An address that comes again further out is left out there, so recursion is shown once. There are so few cut
 * paths that programs with millions of whole ones have room for them.
 *
 * A cut path is a chain of steps as a whole one (struct profile_step), with PROFILE_CUT outermost. The path
 * of a caller and the address of a call determine the path of the callee, so paths of stacks that differ in
 * their innermost frames alone are found by looking at these frames alone (steps.c).
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_PATHS_CUT_H
#define ALLOCSITE_LIB_PATHS_CUT_H

#include "lib/base/macros.h"
#include "profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Paths that were made, by what they were made of. The first word has the path and its caller's, the second
 * one the address and the unloads before, mixed with the first: halves of two entries fit together as seldom
 * as hashes of 64 bits are equal. */
enum { CUT_MADE_BITS = 12 };
#define CUT_MIX 0x9E3779B97F4A7C15u
extern struct cut_made {
    uint64_t paths, address;
} cut_made[1u << CUT_MADE_BITS] __attribute__((visibility("hidden")));

static inline uint64_t cut_from(const void *address, uint32_t unloads_before) {
    return (uintptr_t)address ^ (uint64_t)unloads_before << 48;
}

static inline struct cut_made *cut_place(profile_name caller, const void *address, uint32_t unloads_before) {
    uint64_t mixed = (cut_from(address, unloads_before) ^ (uint64_t)caller << 20) * CUT_MIX;
    return &cut_made[mixed >> (64 - CUT_MADE_BITS)];
}

profile_name cut_make(profile_name caller, const void *address, uint32_t unloads_before);

/* Returns the cut path that has this return address innermost. caller: the path of its caller; 0: it has
 * none. 0: there is no memory. */
static inline profile_name cut_on(profile_name caller, const void *address, uint32_t unloads_before) {
    const struct cut_made *place = cut_place(caller, address, unloads_before);
    uint64_t paths = __atomic_load_n(&place->paths, __ATOMIC_RELAXED);
    uint64_t mixed = __atomic_load_n(&place->address, __ATOMIC_RELAXED) ^ paths * CUT_MIX;
    bool is_it = mixed == cut_from(address, unloads_before) && (uint32_t)paths == caller && paths >> 32;
    return LIKELY(is_it) ? (profile_name)(paths >> 32) : cut_make(caller, address, unloads_before);
}

/* Returns the path with at most the given number of callers of its line. 0: there is no memory. */
profile_name cut_shortened(profile_name, uint32_t callers);

#endif
