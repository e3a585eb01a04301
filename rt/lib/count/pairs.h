/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs of slots: frees, reallocs and the program's faults by one slot on another one's blocks. */
#ifndef ALLOCSITE_LIB_COUNT_PAIRS_H
#define ALLOCSITE_LIB_COUNT_PAIRS_H

#include "model/pair_kind.h"
#include "profile.h"

#include <stdint.h>

/* Counts one, for the rows of both slots. owner: 0: not known. The first fault of each pair is said at once,
 * for the program may not live to its exit report. Lock-free. */
void pair_count(enum pair_kind, uint32_t owner, uint32_t by, uint64_t bytes);

static inline enum pair_kind pair_kind_of(const struct profile_pair *pair) {
    return (enum pair_kind)(pair->key >> 56 & 0x7F);
}

static inline uint32_t pair_owner(const struct profile_pair *pair) {
    return pair->key >> 28 & 0xFFFFFFF;
}

static inline uint32_t pair_by(const struct profile_pair *pair) {
    return pair->key & 0xFFFFFFF;
}

/* Number of places, and the pair there; NULL: none that has counted anything. */
uint32_t pairs_count(void);
const struct profile_pair *pair_at(uint32_t place);

/* Counts from zero again. */
void pairs_reset(void);

#endif
