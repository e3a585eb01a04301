/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The live blocks, by address, for the search in reach.h. */
#ifndef ALLOCSITE_LIB_REACH_BLOCKS_H
#define ALLOCSITE_LIB_REACH_BLOCKS_H

#include "lib/base/maps.h"
#include "lib/base/slot.h"
#include "lib/heap/shadow.h"

struct live_block {
    uintptr_t start;
    uint64_t size;
    uint32_t slot : SLOT_BITS;
    uint32_t family : 2;
    uint32_t reached : 1;
    uint32_t next; /* index + 1 of the next one that is reached and not looked into; 0: last */
};

struct blocks {
    struct live_block *all; /* in ascending order of addresses */
    uint32_t count;
    uint32_t pending;   /* head of the list through next */
    uintptr_t *samples; /* start of every 16th block: few enough to stay in a cache */
    uint32_t sample_count;
    uintptr_t lowest, extent; /* no block is or ends outside */
    size_t mapped;
    bool heads; /* what is being searched holds glibc's pointers to the heads of free blocks */
};

/* Takes over what is live. Nobody may allocate meanwhile. NULL, or why not. */
const char *blocks_collect(struct blocks *);
void blocks_release(struct blocks *);

/* The block that a pointer of this value reaches; NULL: none. */
struct live_block *blocks_find(const struct blocks *, uintptr_t pointer);

/* Index of the first block that ends behind address; count: none. */
uint32_t blocks_behind(const struct blocks *, uintptr_t address);

/* Told of a word that leads to a block, and of where the word is. */
typedef void blocks_found(void *context, struct live_block *, uintptr_t word, uintptr_t at);

/* Tells of all aligned words of the span that can be read. */
void blocks_search(const struct blocks *, const struct maps *, struct span, blocks_found *, void *context);

/* The block is not lost, and neither is what it points to. */
void blocks_reach(struct blocks *, struct live_block *);

/* Takes a block that was reached and not looked into; NULL: none is left. */
const struct live_block *blocks_take(struct blocks *);

#endif
