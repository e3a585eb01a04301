/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Custom allocators: functions of the program that hand out memory which they manage themselves.
 *
 * The plugin instruments their definitions (plugin/find/custom.cpp), so the runtime sees their calls and
 * returns, and the blocks that they hand out and take back. These blocks are counted like blocks of malloc,
 * for the same slots, by the same laws. The blocks that a custom allocator meanwhile takes from malloc or
 * from another custom allocator are its *chunks*. They are counted in a part of its slot
 * (registry/registry.h) and in no total, so that memory is counted once, where the program asked for it. If a
 * chunk is released, the blocks that are still in it are freed too.
 *
 * The sum over all custom blocks is counted in a separate slot: totals - custom + chunks is the memory
 * requested from malloc, as an independent observer sees it. */
#ifndef ALLOCSITE_LIB_CUSTOM_ALLOC_CUSTOM_H
#define ALLOCSITE_LIB_CUSTOM_ALLOC_CUSTOM_H

#include "format.h"
#include "lib/custom_alloc/arenas.h"
#include "lib/paths/origin.h"

/* custom_enter begins a call of a custom allocator at this depth of nesting; custom_leave returns to the
 * outer depth. */
void custom_enter(uint32_t depth);
void custom_leave(uint32_t around);

/* custom_gain: the allocator hands out a block; arena: NULL if it has none. custom_fail: it has no memory.
 * custom_lose: it takes a block back; its context is a struct origin. All may change errno. */
void custom_gain(struct origin, const void *p, uint64_t bytes, const void *arena);
void custom_fail(struct origin);
custom_visitor custom_lose;

/* The usual cases: a block without arena, alone at p. Return false, and do nothing, in all others. */
bool custom_gain_quickly(const struct allocsite_site *, const void *p, uint64_t bytes);
bool custom_lose_quickly(const void *p);

/* Counts a realloc. old_entry: the old block's entry, already removed from the table; 0 if the old block is
 * no custom allocator's. Like custom_gain, but without the arena. */
struct custom_block custom_move(struct origin, uint64_t old_entry, const void *old, const void *p,
                                uint64_t bytes);

/* Counts a realloc to size 0. */
void custom_lose_entry(uint64_t entry, const void *p, struct origin by);

/* Frees the custom blocks that begin in memory that is released now. */
void custom_released(const void *start, uint64_t size, struct origin by);

/* Returns the slot that counts all custom blocks; NO_SLOT if there was none. */
uint32_t custom_sum_slot(void);

#endif
