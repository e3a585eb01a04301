/* The inside of the shadow table, for walking it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_SHADOW_REGIONS_H
#define ALLOCSITE_SHADOW_REGIONS_H

#include "shadow.h"

#define SHADOW_ADDRESSES (UINT64_C(1) << ADDRESS_BITS)

#define REGION_SIZE      (UINT64_C(1) << 26)

/* Tables for a region, made when a block in it is first seen: for small blocks at odd multiples of 8, which
 * some allocators give for up to 8 bytes, for those that no allocator gave, and for all others where the
 * large tables could not be had. */
struct region {
    uint32_t small[REGION_SIZE / 16];
    uint64_t large[REGION_SIZE / SHADOW_SMALL];
};

/* Calls visit for each that there is, in ascending order; start: of its addresses; odd: 8 for blocks at odd
 * multiples of that, which come last, else 0. */
void shadow_each_region(void (*visit)(void *context, uintptr_t start, const struct region *, unsigned odd),
                        void *context);

/* *where, a pointer, made of size zeroed bytes if it is NULL. NULL: no memory. Keeps errno. */
void *shadow_made(void *where, size_t size);

struct block shadow_small_block(uint32_t entry);
struct block shadow_large_block(uint64_t entry, const void *p);

#endif
