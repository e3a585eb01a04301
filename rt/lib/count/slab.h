/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slabs: one thread's tallies and extras by slot, for one phase. */
#ifndef ALLOCSITE_LIB_COUNT_SLAB_H
#define ALLOCSITE_LIB_COUNT_SLAB_H

#include "profile.h"

#include <stdbool.h>

/* All but the memory is wiped by fork: a child counts in its parent's, which reads as zero. */
struct slab {
    uint32_t capacity, extra_capacity; /* keys from KEY(1) to below fit */
    struct tally *tallies;
    struct extra *extras;
    profile_name phase; /* 0: outside of all */
    uint32_t thread;    /* its index */
    uint32_t next;      /* number + 1 of another one of the thread; 0: last */
};

/* A slab of that number that holds nothing yet. False: no memory. */
bool slab_make(uint32_t number, profile_name phase, uint32_t thread, uint32_t next);

/* NULL: there is none. */
const struct slab *slab_peek(uint32_t number);

/* Whether any of the addresses is a slab's, used or reserved. */
bool slab_overlaps(uintptr_t begin, uintptr_t end);

/* Makes room for the slot. Only the thread that counts there may call it, and with signals held. NULL: no
 * memory. */
const struct slab *slab_hold(uint32_t number, uint32_t slot, bool extras);

#endif
