/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long the blocks of a site lived (profile.h says what is counted). Classes are those of sizes. */
#ifndef ALLOCSITE_MODEL_LIFETIMES_H
#define ALLOCSITE_MODEL_LIFETIMES_H

#include "model/pair_kind.h"
#include "profile.h"

/* All of it is counters: whoever adds some up need not know which. */
enum { LIFETIMES_COUNTERS = sizeof(struct profile_lifetimes) / sizeof(uint64_t) };

union lifetimes {
    struct profile_lifetimes of;
    uint64_t counters[LIFETIMES_COUNTERS];
};

/* The blocks that it is of: those that are the site's no more and came while lifetimes were counted. */
static inline uint64_t lifetimes_blocks(const union lifetimes *lifetimes) {
    uint64_t blocks = 0;
    for (int i = 0; i < SIZE_CLASSES; i++)
        blocks += lifetimes->of.by_allocations[i];
    return blocks;
}

#endif
