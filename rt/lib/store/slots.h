/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts about a slot beside what its threads counted. */
#ifndef ALLOCSITE_LIB_STORE_SLOTS_H
#define ALLOCSITE_LIB_STORE_SLOTS_H

#include "lib/base/slot.h"
#include "profile.h"

#include <stdbool.h>

/* NULL: no memory. */
struct profile_slot *slot_at(uint32_t slot);

/* All zero if nothing is known. */
const struct profile_slot *slot_known(uint32_t slot);

/* How many slots every slab has address space for: all there can be, or fewer where that is limited. A page
 * of tallies less than entries of the shadow table could name, or SLOT_OURS would be within a capacity. */
#define SLOTS_MOST ((1u << SLOT_BITS) - PROFILE_PAGE / (uint32_t)sizeof(struct tally))
uint32_t slots_most(void);
void slots_limit(uint32_t fewer);

#endif
