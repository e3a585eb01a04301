/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks of custom allocators, and the arenas that they belong to. */
#ifndef ALLOCSITE_LIB_CUSTOM_ALLOC_ARENAS_H
#define ALLOCSITE_LIB_CUSTOM_ALLOC_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The blocks of custom allocators: maps the address of a block to its owner and size.
 *
 * Such blocks lie within blocks of malloc or of other custom allocators, at any address, so the shadow table
 * cannot hold them. Here an entry of 8 bytes represents 16 bytes of an arena, in tables that are made for the
 * parts of the address space with such blocks. There are separate tables for each address modulo 16, and for
 * each depth: if an allocator hands out the beginning of a block that another allocator gave it, both blocks
 * have the same address.
 *
 * As in the shadow table, only the thread that holds a block reads or writes its entry, so no lock is needed.
 * Safe in signal handlers. A forked child has its parent's table. */

/* An entry: live:1 chunk:1 slot:20 size:42. 0: no block. */
#define CUSTOM_SIZE_BITS 42
#define CUSTOM_SIZE_MASK ((UINT64_C(1) << CUSTOM_SIZE_BITS) - 1)
#define CUSTOM_LIVE      (UINT64_C(1) << 63)
#define CUSTOM_CHUNK     (UINT64_C(1) << 62) /* a chunk that another custom allocator divides */

/* A block in the table. entry is NULL if there is none. */
struct custom_block {
    const void *p;
    uint64_t *entry;
    uint32_t depth; /* see above */
};

/* Returns the innermost block at p, which was handed out last. Among several blocks at p it prefers chunks of
 * other allocators if prefers_chunks, and other blocks if not. */
struct custom_block custom_block_find(const void *p, bool prefers_chunks);

/* Adds a block, without changing others at p. entry is NULL if memory is out or the block is too large. */
struct custom_block custom_block_put(const void *p, uint32_t slot, uint64_t size, bool is_chunk);

/* Returns the entry for a block at p, used or not, if there can be only one; otherwise NULL. */
uint64_t *custom_block_alone(const void *p);

/* Returns the word that has the number of the block's node in its arena. NULL if memory is out, or if the
 * arena does not exist and `make` is false. */
uint32_t *custom_block_node(const struct custom_block *, bool make);

/* Returns the block of that depth at p. */
struct custom_block custom_block_at(const void *p, uint32_t depth);

/* Calls visit for each block that begins within size bytes from start, outer blocks first. visit may remove
 * the block. custom_blocks_each: for all blocks. */
typedef void custom_visitor(void *context, const struct custom_block *);
void custom_blocks_within(const void *start, uint64_t size, custom_visitor *, void *context);
void custom_blocks_each(custom_visitor *, void *context);

static inline uint32_t custom_slot(uint64_t entry) {
    return entry >> CUSTOM_SIZE_BITS & ((1u << 20) - 1);
}

static inline uint64_t custom_size(uint64_t entry) {
    return entry & CUSTOM_SIZE_MASK;
}

/* ---- The blocks of an arena in the order of their allocation, and the marks between them, for allocators
 * that release everything since a mark at once.
 *
 * An arena is identified by its address, and needs no memory while it has neither live blocks nor marks. Its
 * list has only live blocks: a block that is freed leaves it. Only the newest CUSTOM_MARKS marks between two
 * blocks are kept.
 *
 * Locks protect the lists. If a lock is not available, the operation is not done. If a forked child inherits
 * a list that was being changed, the list is emptied. In both cases the gap is set. */

#define CUSTOM_MARKS 64

/* Adds the block as the newest one of its arena. */
void custom_arena_add(const void *arena, const struct custom_block *);

/* Removes the block from its arena, if it has one. */
void custom_arena_remove(const struct custom_block *);

/* A block keeps its position in the list during a realloc, although it is not in the table then. detach
 * returns its node, or 0 if it has no arena. attach is called when it is in the table again, forget if it has
 * moved away from p. */
uint32_t custom_arena_detach(const struct custom_block *);
void custom_arena_attach(const struct custom_block *, uint32_t node);
void custom_arena_forget(const void *p, uint32_t node);

/* Adds a mark, to which a release may go back. */
void custom_arena_mark(const void *arena, uint64_t mark);

/* Release the blocks that are newer than a mark, or all. visit is called for each block, the newest first,
 * and must remove it from the table. mark: the value of a mark, or the address of a block, which is released
 * too. An unknown mark of 0 releases all blocks; another unknown mark releases none and sets the gap. */
void custom_arena_release(const void *arena, uint64_t mark, custom_visitor *visit, void *context);
void custom_arena_release_all(const void *arena, custom_visitor *visit, void *context);

/* ---- The locks of the lists, one for each shard of the arenas.
 *
 * A signal handler does not get a lock while its own thread holds one. Waiting ends after a time, and a lock
 * that was held all that time is given up, because its thread may have ended. A forked child finds all locks
 * open. */

#define CUSTOM_SHARDS 16

/* Returns false, and sets the gap, if the lock is not available. was_left: another thread of the parent held
 * it at the fork, so the list may be half changed. Keeps errno. */
bool custom_lock(uint32_t shard, bool *was_left);
void custom_unlock(uint32_t shard);

#endif
