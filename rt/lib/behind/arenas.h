/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks of an arena in the order in which it handed them out, and the marks between them, for allocators
 * that give back all since a mark at once.
 *
 * An arena is known by its address alone and needs no memory while it has neither live blocks nor marks. Its
 * list is one of the live blocks, not of events: a block that is freed leaves it. Marks at one place beyond
 * the newest CUSTOM_MARKS of them are forgotten.
 *
 * The lists are behind locks. Where one is not to be had the operation is not done, and
 * where it left a list half changed in a forked child that begins with none: then the hole is set. */
#ifndef ALLOCSITE_LIB_BEHIND_ARENAS_H
#define ALLOCSITE_LIB_BEHIND_ARENAS_H

#include "lib/behind/blocks.h"

#include <stdbool.h>
#include <stdint.h>

#define CUSTOM_MARKS 64

/* The newest block of its arena. */
void custom_arena_add(const void *arena, const struct custom_block *);

/* Of an arena or of none. */
void custom_arena_remove(const struct custom_block *);

/* A block that is being reallocated, and is out of the table meanwhile, keeps its place in the order: its
 * node, 0 if it is of no arena; the block that is there again; and that it has gone from there. */
uint32_t custom_arena_detach(const struct custom_block *);
void custom_arena_attach(const struct custom_block *, uint32_t node);
void custom_arena_forget(const void *p, uint32_t node);

/* A mark by which a release goes back to here. */
void custom_arena_mark(const void *arena, uint64_t mark);

/* Calls visit, which takes it out of the table, for each block that is newer than the mark, or for a block at
 * that address and each that is newer, or for all. The newest comes first. If there is neither such a mark
 * nor such a block, all go where mark is 0, else none does and the hole is set. */
void custom_arena_release(const void *arena, uint64_t mark, custom_visitor *visit, void *context);
void custom_arena_release_all(const void *arena, custom_visitor *visit, void *context);

/* ---- The locks of the lists of arenas (behind/arenas.h), one for each shard of these.
 *
 * A signal handler that comes to one while its own thread holds one does not get it. Nobody waits for ever,
 * and for one that was not given back in all that time nobody waits again: its thread may have ended there. A
 * forked child finds all of them open, whoever held them in its parent.
 */

#define CUSTOM_SHARDS 16

/* False: it is not to be had, and the hole is set. was_left: the parent of this process was forked while
 * another thread held it, so what it is for may be half done. Keeps errno. */
bool custom_lock(uint32_t shard, bool *was_left);
void custom_unlock(uint32_t shard);

#endif
