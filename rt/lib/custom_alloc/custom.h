/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Custom allocators: functions of the program that hand out memory which they manage themselves.
 *
 * The plugin instruments their definitions (plugin/find/custom.cpp), so the runtime sees each of them entered
 * and left, and the blocks that they hand out and take back. Blocks are counted like those of malloc, for the
 * same slots, by the same laws. Memory that a custom allocator takes meanwhile, from malloc or from another
 * one, is its *backing*: it is counted in a part of the slot that it would be billed to
 * (registry/registry.h), and in no total, so that memory is counted once, where the program asked for it. A
 * chunk that goes back takes along the blocks that are still in it.
 *
 * The sum over all custom blocks is counted in a slot of its own: totals - custom + backing is what malloc
 * was asked for, as an independent observer sees it. */
#ifndef ALLOCSITE_LIB_CUSTOM_ALLOC_CUSTOM_H
#define ALLOCSITE_LIB_CUSTOM_ALLOC_CUSTOM_H

#include "format.h"
#include "lib/custom_alloc/arenas.h"
#include "lib/paths/origin.h"

/* One is entered, and so many are under way then; and left, and so many were around it. */
void custom_enter(uint32_t depth);
void custom_leave(uint32_t around);

/* It hands out a block of an arena, NULL of none; has none to hand out; gives one back, with by, a struct
 * origin. Counted for now, and they may change errno. */
void custom_gain(struct origin, const void *p, uint64_t bytes, const void *arena);
void custom_fail(struct origin);
custom_visitor custom_lose;

/* The usual cases: a block of no arena that is the first one at p, and one that can be given back without
 * more ado. False: nothing was done. */
bool custom_gain_quickly(const struct allocsite_site *, const void *p, uint64_t bytes);
bool custom_lose_quickly(const void *p);

/* A realloc: what was of the old block, whose entry is out of the table, 0 if it is none of a custom
 * allocator. Like custom_gain, but for the arena. */
struct custom_block custom_move(struct origin, uint64_t old_entry, const void *old, const void *p,
                                uint64_t bytes);

/* A realloc to nothing. */
void custom_lose_entry(uint64_t entry, const void *p, struct origin by);

/* Memory is being given back, or is about to be: the custom blocks that begin in it are freed. */
void custom_gone(const void *start, uint64_t size, struct origin by);

/* The slot that sums up over all custom blocks; NO_SLOT: there has been none. */
uint32_t custom_sum_slot(void);

#endif
