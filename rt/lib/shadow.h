/* The shadow table: who owns the block at an address, and how large it is.
 *
 * A block of less than SHADOW_SMALL bytes has an entry of 4 bytes in a table with one entry for each 16 bytes
 * of heap; a larger one has an entry of 8 bytes in a table with one for each SHADOW_SMALL bytes, for no two
 * of these can start in the same. So the tables take a quarter of a heap of small blocks and 1.6% of one of
 * large blocks.
 *
 * Both tables cover the whole address space, 34 TiB of it, of which only the pages that were written cost
 * anything. A table of tables instead would take 12 of 73 instructions of a malloc and a free more; it serves
 * where so much address space is not to be had, and for blocks at odd multiples of 8.
 *
 * An entry is written and read by whoever holds the block, so it needs no lock: two threads at one entry are
 * a race of the program's own. Safe in signal handlers. A forked child has its parent's table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_SHADOW_H
#define ALLOCSITE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which functions a block belongs to, and so which may give it back. */
enum family {
    FAMILY_MALLOC,
    FAMILY_NEW,
    FAMILY_NEW_ARRAY,
    FAMILY_ANY, /* of no block: where free was called through another function, whose family it does not tell
                 */
    FAMILY_BACKING = FAMILY_ANY, /* of a block: a custom allocator took it to hand it out in parts. In an entry
                                    it has the mark of freed ones too, so that the hot path leaves it alone */
};

/* A small entry: freed:1 family:2 slot:20 size:9, all zero where no block was ever seen. A key is a slot in
 * its place. */
#define SHADOW_SIZE_BITS 9
#define SHADOW_SMALL     (1u << SHADOW_SIZE_BITS)
#define KEY_SHIFT        SHADOW_SIZE_BITS
#define SLOT_BITS        20
#define KEY(slot)        ((uint32_t)(slot) << KEY_SHIFT)
#define FAMILY_AT        (KEY_SHIFT + SLOT_BITS)
#define SHADOW_FREED     0x80000000u

/* Owner of the blocks that are the runtime's own doing: above every thread's capacity. */
#define SLOT_OURS ((1u << SLOT_BITS) - 1)

#ifdef __x86_64__
#define ADDRESS_BITS 47
#else
#define ADDRESS_BITS 48
#endif

struct shadow {
    uint64_t limit;  /* the highest address / 16 that the tables cover; 0: they are not there */
    uint32_t *small; /* an entry for each 16 bytes */
    uint64_t *large; /* an entry for each SHADOW_SMALL bytes */
};

extern struct shadow shadow __attribute__((visibility("hidden")));

/* Finds the small entry of a block at p. False: there is no table, or p is NULL or not a multiple of 16. */
static inline bool shadow_entry(const void *p, uint32_t **entry) {
    /* The bits that must be zero come to the top, and so does what comes below NULL: one comparison finds
     * them all. */
    uint64_t before = (uint64_t)(uintptr_t)p - 16, index = before >> 4 | before << 60;
    *entry = shadow.small + index + 1;
    return __builtin_expect(index < shadow.limit, 1);
}

/* One instruction where the compiler would load, or and store. */
static inline void shadow_mark_freed(uint32_t *entry) {
#if defined __x86_64__
    __asm__("orl %1, %0" : "+m"(*entry) : "i"(SHADOW_FREED));
#else
    *entry |= SHADOW_FREED;
#endif
}

/* A large entry: freed:1 slot:20 family:2 offset:6 size:35; offset counts 8 bytes from the start of the cell.
 * A size that does not fit is LARGE_SIZE_MASK, and stands in the entries of the next two cells, which lie
 * within the block, 32 bits in each. */
#define LARGE_SIZE_BITS   35
#define LARGE_SIZE_MASK   ((UINT64_C(1) << LARGE_SIZE_BITS) - 1)
#define LARGE_OFFSET_MASK (UINT64_C(63) << LARGE_SIZE_BITS)
#define LARGE_FAMILY_AT   41
#define LARGE_SLOT_AT     43
#define LARGE_FREED       (UINT64_C(1) << 63)

/* The offset of a large block at p in its entry. */
static inline uint64_t shadow_large_offset(const void *p) {
    return (uint64_t)((uintptr_t)p / 8) << LARGE_SIZE_BITS & LARGE_OFFSET_MASK;
}

/* Finds the entry of the cell that holds p. False: there is no table for it. */
static inline bool shadow_large_entry(const void *p, uint64_t **entry) {
    *entry = shadow.large + (uintptr_t)p / SHADOW_SMALL;
    return __builtin_expect(((uintptr_t)p - 1) / 16 < shadow.limit, 1);
}

enum block_state {
    BLOCK_NONE,  /* nothing is known of that address */
    BLOCK_LIVE,  /* a block starts there */
    BLOCK_FREED, /* a block did */
};

struct block {
    uint64_t size; /* as the program asked for */
    uint32_t slot;
    uint8_t state;  /* enum block_state */
    uint8_t family; /* enum family */
};

/* The block that starts at p. */
struct block shadow_find(const void *p);

/* Whether a block of that size at p, which no allocator gave, has a place of its own in the table. */
bool shadow_can_hold(const void *p, uint64_t size);

/* Enters it. False: no memory. Keeps errno. */
bool shadow_put(const void *p, uint32_t slot, enum family, uint64_t size);

/* Marks the block at p, which shadow_find found to be live, as freed. */
void shadow_drop(const void *p);

/* Calls visit for each live block, in ascending order of addresses but for blocks at odd multiples of 8,
 * which come in an order of their own behind all others. NULL, or why not all of them could be found. */
const char *shadow_walk(void (*visit)(void *context, const void *p, const struct block *), void *context);

#endif
