/* What one slot did to another one's blocks: frees, reallocs and the program's faults.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_PAIRS_H
#define ALLOCSITE_PAIRS_H

#include "pair_kind.h"

#include <stdint.h>

struct pair {
    uint64_t key;          /* 0: unused */
    uint64_t count, bytes; /* bytes: of the blocks, as the program asked for them */
};

/* Counts one. owner: slot, 0: not known. The first fault of each pair is said at once, for the program may
 * not live to its exit report. Lock-free. */
void pair_count(enum pair_kind, uint32_t owner, uint32_t by, uint64_t bytes);

static inline enum pair_kind pair_kind_of(const struct pair *pair) {
    return (enum pair_kind)(pair->key >> 56 & 0x7F);
}

static inline uint32_t pair_owner(const struct pair *pair) {
    return pair->key >> 28 & 0xFFFFFFF;
}

static inline uint32_t pair_by(const struct pair *pair) {
    return pair->key & 0xFFFFFFF;
}

/* Number of places, and the pair there; NULL: none. */
uint32_t pairs_count(void);
const struct pair *pair_at(uint32_t place);

#endif
