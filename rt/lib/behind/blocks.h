/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks that custom allocators have handed out: who owns the one at an address, and how large it is.
 *
 * They lie within blocks of malloc or of other custom allocators, at any address, so they cannot stand in the
 * shadow table. Here one entry of 8 bytes stands for each 16 bytes of an arena, in tables that are made for
 * the parts of the address space that have such blocks. There are such tables for each address modulo 16, and
 * for each depth: where an allocator hands out the beginning of a block that another one gave it, both have
 * the same address.
 *
 * Like the shadow table: an entry is written and read by whoever holds the block, so it needs no lock; safe
 * in signal handlers; a forked child has its parent's table. */
#ifndef ALLOCSITE_LIB_BEHIND_BLOCKS_H
#define ALLOCSITE_LIB_BEHIND_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Where the arena that a block is of keeps its node (behind/arenas.h). NULL: no memory; or, if none is to be
 * made, there is none. */
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

#endif
