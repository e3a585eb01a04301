/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long blocks live, with lifetime=1: from the allocation or reallocation that a slot has them by to the
 * free or the reallocation that takes them from it. In allocations and reallocations of the process
 * meanwhile, for which each takes a number; and in time. Those of several threads take their numbers from
 * one counter: so they have an order, which is each thread's own too. */
#ifndef ALLOCSITE_LIB_COUNT_LIFETIMES_H
#define ALLOCSITE_LIB_COUNT_LIFETIMES_H

#include "lib/heap/births.h"
#include "model/counters.h"

/* A block has come, which is there; and one of the slot is gone, as birth_take found it. */
void lifetime_begins(const void *p);
void lifetime_ends(uint32_t slot, struct birth);

static inline void lifetime_begin(const void *p) {
    if (births_wanted)
        lifetime_begins(p);
}

static inline void lifetime_end(uint32_t slot, struct birth birth) {
    if (birth.number)
        lifetime_ends(slot, birth);
}

/* Of a slot that has a row. */
const union lifetimes *lifetimes_of(uint32_t slot);

/* Counts from zero again. */
void lifetimes_reset(void);

#endif
