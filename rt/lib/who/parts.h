/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots that are parts of other slots: what of a slot was called from one stack, and what of it is the
 * backing of a custom allocator, which hands it out in parts. Each counts for itself, and law 1 holds for
 * each; readers add stacks up to the row that they are a part of, and backing to a row of its own.
 *
 * A part's record is that of what it is a part of but for `what`, `parent` and `stack`: whoever names a slot
 * names a part alike. Parts of parts: a stack may be of a backing, nothing else is.
 *
 * Lock-free and safe in signal handlers. A forked child goes on with its parent's parts. */
#ifndef ALLOCSITE_LIB_WHO_PARTS_H
#define ALLOCSITE_LIB_WHO_PARTS_H

#include "lib/who/registry.h"

/* The backing of a slot that is no part itself, or of the one that a stack is of; made at first use, then
 * found by one look into a table. Of a backing: itself. NO_SLOT: no memory, and the hole is set. */
uint32_t part_backing(uint32_t slot);

/* The part of a slot that was called from the stack whose innermost step (struct profile_step) that is;
 * whether that is a new one. NO_SLOT: there is no room for more. */
uint32_t part_stack(uint32_t slot, profile_name stack, bool *is_new);

bool part_stack_has_room(void);

/* There is room for no more than so many. */
void part_stacks_limit(uint64_t most);

/* The slot whose row has it: of a stack that of which it is one, else the slot itself. */
uint32_t slot_row(uint32_t slot);

/* Whether it is backing, or a stack of one. */
bool slot_is_backing(uint32_t slot);

/* Whether what it counts is in the totals: neither backing nor the sum over all custom blocks, which the
 * other slots have. */
bool slot_is_in_totals(uint32_t slot);

#endif
