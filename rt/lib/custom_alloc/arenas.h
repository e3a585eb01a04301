/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks that custom allocators have handed out, and the arenas that they are in. */
#ifndef ALLOCSITE_LIB_CUSTOM_ALLOC_ARENAS_H
#define ALLOCSITE_LIB_CUSTOM_ALLOC_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The blocks that custom allocators have handed out: who owns the one at an address, and how large it
 * is.
 *
 * They lie within blocks of malloc or of other custom allocators, at any address, so they cannot stand in the
 * shadow table. Here one entry of 8 bytes stands for each 16 bytes of an arena, in tables that are made for
 * the parts of the address space that have such blocks. There are such tables for each address modulo 16, and
 * for each depth: where an allocator hands out the beginning of a block that another one gave it, both have
 * the same address.
 *
 * Like the shadow table: an entry is written and read by whoever holds the block, so it needs no lock; safe
 * in signal handlers; a forked child has its parent's table. */

/* An entry: live:1 backing:1 slot:20 size:42; 0 where no block is. */
#define CUSTOM_SIZE_BITS 42
#define CUSTOM_SIZE_MASK ((UINT64_C(1) << CUSTOM_SIZE_BITS) - 1)
#define CUSTOM_LIVE      (UINT64_C(1) << 63)
#define CUSTOM_BACKING   (UINT64_C(1) << 62) /* another custom allocator took it to hand it out in parts */

/* A block in the table; entry NULL: there is none. */
struct custom_block {
    const void *p;
    uint64_t *entry;
    uint32_t depth; /* of the tables */
};

/* The innermost block at p: the one that was handed out last. likes_backing: of several at p rather one that
 * is the backing of another allocator, else rather one that is not. */
struct custom_block custom_block_find(const void *p, bool likes_backing);

/* Enters a block; those at p that are there stay what they are. entry NULL: no memory, or it is too large. */
struct custom_block custom_block_put(const void *p, uint32_t slot, uint64_t size, bool is_backing);

/* The entry for a block at p, which may be there or not, if no more than one can be. NULL: look further. */
uint64_t *custom_block_alone(const void *p);

/* Where the arena that a block is of keeps its node (custom_alloc/arenas.h). NULL: no memory; or, if none is
 * to be made, there is none. */
uint32_t *custom_block_node(const struct custom_block *, bool make);

/* The block of that depth at p. */
struct custom_block custom_block_at(const void *p, uint32_t depth);

/* Calls visit for each block that begins in the size bytes from start, outer ones first; it may take it out.
 * custom_blocks_each: for all. */
typedef void custom_visitor(void *context, const struct custom_block *);
void custom_blocks_within(const void *start, uint64_t size, custom_visitor *, void *context);
void custom_blocks_each(custom_visitor *, void *context);

static inline uint32_t custom_slot(uint64_t entry) {
    return entry >> CUSTOM_SIZE_BITS & ((1u << 20) - 1);
}

static inline uint64_t custom_size(uint64_t entry) {
    return entry & CUSTOM_SIZE_MASK;
}

/* ---- The blocks of an arena in the order in which it handed them out, and the marks between them, for
 * allocators that give back all since a mark at once.
 *
 * An arena is known by its address alone and needs no memory while it has neither live blocks nor marks. Its
 * list is one of the live blocks, not of events: a block that is freed leaves it. Marks at one place beyond
 * the newest CUSTOM_MARKS of them are forgotten.
 *
 * The lists are behind locks. Where one is not to be had the operation is not done, and
 * where it left a list half changed in a forked child that begins with none: then the hole is set. */

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

/* ---- The locks of the lists of arenas (custom_alloc/arenas.h), one for each shard of these.
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
