/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of a slot beside what its threads counted. */
#ifndef ALLOCSITE_LIB_STORE_SLOTS_H
#define ALLOCSITE_LIB_STORE_SLOTS_H

#include "profile.h"

#include <stdbool.h>

/* NULL: no memory. */
struct profile_slot *slot_at(uint32_t slot);

/* All zero if nothing is known. */
const struct profile_slot *slot_known(uint32_t slot);

/* What is live in this process, of which nothing has been counted yet, is what it has inherited. False: the
 * hole is set. */
bool slots_inherit_heap(void);

/* Whether that was done; else only what a child has at its end tells. */
bool slots_know_inherited(void);

#endif
