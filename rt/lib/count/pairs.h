/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs of slots: frees, reallocs and the program's faults by one slot on another one's blocks. */
#ifndef ALLOCSITE_LIB_COUNT_PAIRS_H
#define ALLOCSITE_LIB_COUNT_PAIRS_H

#include "lib/base/table.h"
#include "lib/count/tally.h"
#include "model/counters.h"
#include "profile.h"

#include <stddef.h>
#include <stdint.h>

/* Counts an event of `by` on a block of owner (0: unknown); a fault for the rows of both. Lock-free. */
void pair_count(enum pair_kind, uint32_t owner, uint32_t by, uint64_t bytes);

/* Called at the first fault of each pair: the program may crash before its report. NULL until started. */
extern void (*pair_fault_found)(enum pair_kind, uint32_t owner, uint32_t by)
    __attribute__((visibility("hidden")));

/* struct profile_pair, by hash. */
extern struct table pairs __attribute__((visibility("hidden")));

#define PAIRS_FIRST_BITS 12
_Static_assert(PROFILE_PAIRS_FIRST == 1 << PAIRS_FIRST_BITS, "places of the first chunk");

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). */
static inline uint32_t pair_hash(uint64_t key, uint32_t bits) {
    return (uint32_t)(key * 0x9E3779B97F4A7C15u >> (64 - bits));
}

static inline void pair_add(struct profile_pair *pair, uint64_t bytes) {
    bump_shared(&pair->count, 1);
    bump_shared(&pair->bytes, bytes);
}

/* Returns the pair if it is at the first place of its hash, otherwise NULL. */
static inline struct profile_pair *pair_at_home(enum pair_kind kind, uint32_t owner, uint32_t by) {
    struct profile_pair *chunk = (struct profile_pair *)__atomic_load_n(&pairs.chunks[0], __ATOMIC_ACQUIRE);
    uint64_t key = pair_key(kind, owner, by);
    struct profile_pair *pair = chunk ? &chunk[pair_hash(key, PAIRS_FIRST_BITS)] : NULL;
    return pair && __atomic_load_n(&pair->key, __ATOMIC_RELAXED) == key ? pair : NULL;
}

/* Sets the counts to zero. */
void pairs_reset(void);

#endif
