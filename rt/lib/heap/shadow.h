/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shadow table: maps the address of a block to its owner and size.
 *
 * A small block (less than SHADOW_SMALL bytes) has an entry of 4 bytes. That table has one entry for each
 * *cell* of 32 bytes, because no two blocks of the C library start in the same cell (MINSIZE in glibc's
 * malloc.c). A large block has an entry of 8 bytes. That table has one entry for each SHADOW_SMALL bytes,
 * because no two large blocks can start in the same range of that size. So the tables take an eighth of a
 * heap of small blocks, and 0.8% of a heap of large blocks. The table of cells could also hold large blocks,
 * which cover several cells. It would then take an eighth of every heap, because a page of it is needed
 * wherever a block starts in 32 KiB.
 *
 * Both tables cover the whole address space. They reserve 17 TiB of it, but only written pages cost memory. A
 * table of tables would add 12 instructions to the 73 of a malloc and a free. The runtime uses one only where
 * so much address space is not available, and for blocks at odd multiples of 8.
 *
 * Other allocators have adjacent blocks of 16 bytes. Small blocks that start in the second half of a cell are
 * then kept in a separate table, which is made for the first such block. Small blocks that no allocator
 * returned may start anywhere within an allocator's block, or right before one. The table of tables holds
 * these: it has an entry for each 16 bytes.
 *
 * Only the thread that holds a block reads or writes its entry, so no lock is needed: two threads at one
 * entry are a data race of the program. Safe in signal handlers. A forked child has its parent's table. */
#ifndef ALLOCSITE_LIB_HEAP_SHADOW_H
#define ALLOCSITE_LIB_HEAP_SHADOW_H

#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a small block: freed:1 family:2 slot:18 size:10. A key is a slot in the position that it has
 * here. An entry is the value shifted left by one, plus the half of the cell that the block starts in, 0 or
 * 1. An entry that was never used is zero. If the entry is read for an address in the other half, the value's
 * highest bit is set. */
#define SHADOW_SMALL (1u << KEY_SHIFT)
#define FAMILY_AT    (KEY_SHIFT + SLOT_BITS)
_Static_assert(FAMILY_CHUNK < 4, "two bits of an entry");
#define SHADOW_FREED 0x40000000u
#define SHADOW_OTHER 0x80000000u

#define SHADOW_CELL  32

#define ADDRESS_BITS 47

/* An address minus SHADOW_CELL, rotated right by 5 bits: the number of the previous cell, above it the 4
 * address bits that must be zero, and the half of the cell on top. Addresses below the second cell, such as
 * NULL, wrap around and also have high bits set. So one test finds every address that the table does not
 * hold. */
typedef uint64_t shadow_cell;
#define SHADOW_HALF (UINT64_C(1) << 63)

/* The entry of a large block. The size of a huge block (more than UINT32_MAX bytes) is in the entries of the
 * next two ranges, which lie within the block. */
struct shadow_large {
    uint32_t value; /* like a small block's, with the offset in the range instead of the size */
    uint32_t size;  /* in bytes */
};

struct shadow {
    uint64_t unfit; /* bits of a shadow_cell that are zero for every block in the table; all bits until it is
                       made */
    uintptr_t slow_bits;        /* like unfit, for addresses */
    uint32_t *small;            /* one entry for each cell */
    struct shadow_large *large; /* one entry for each SHADOW_SMALL bytes */
    uintptr_t end;              /* end of the addresses that the tables cover; 0: no tables */
    uintptr_t slow_bits_hot; /* like `slow_bits`, for the hot path of free and realloc; all bits with pairs=1
                             or lifetime=1, so that the hot path is left before the block is looked up */
    uint32_t *second;        /* like `small`, for blocks in the second half of a cell; NULL: none yet */
};

extern struct shadow shadow __attribute__((visibility("hidden")));

/* One instruction; GCC would use a move and an and. */
static inline bool shadow_fits(shadow_cell cell) {
    bool fits;
    __asm__("testq %1, %2" : "=@ccz"(fits) : "r"(cell), "m"(shadow.unfit));
    return __builtin_expect(fits, 1);
}

/* The bit of the half is shifted out. */
static inline uint32_t *shadow_entry_in(const uint32_t *table, shadow_cell cell) {
    return (uint32_t *)((uintptr_t)table + (cell + 1) * sizeof(uint32_t));
}

static inline uint32_t *shadow_entry(shadow_cell cell) {
    return shadow_entry_in(shadow.small, cell);
}

/* Returns the entry of an allocator's small block; NULL if the block has none here: it may be in the table of
 * tables, or `second` is not made yet. */
static inline uint32_t *shadow_entry_any(shadow_cell cell) {
    if (shadow_fits(cell))
        return shadow_entry(cell);
    bool is_second = (cell & shadow.unfit) == SHADOW_HALF && shadow.second;
    return is_second ? shadow_entry_in(shadow.second, cell) : NULL;
}

/* Returns the cell of a block at p and writes the entry for its value. The rotation leaves the half in the
 * carry, which saves three of five instructions. p must be in rax, where the allocator returned it; otherwise
 * GCC would move it twice. */
static inline shadow_cell shadow_encode(const void *p, uint32_t value, uint32_t *entry) {
    shadow_cell cell;
    __asm__("leaq %c3(%2), %0\n\trorq $5, %0\n\tadcl %1, %1"
            : "=&r"(cell), "+&r"(value)
            : "a"(p), "i"(-SHADOW_CELL)
            : "cc");
    *entry = value;
    return cell;
}

/* Returns the cell of a block at p. *half is 0 or -1, the argument that shadow_value needs. */
static inline shadow_cell shadow_find_cell(const void *p, uint32_t *half) {
    uint64_t from = (uintptr_t)p - SHADOW_CELL;
    __asm__("rorq $5, %0\n\tsbbl %1, %1" : "+r"(from), "=r"(*half) : : "cc");
    return from;
}

static inline uint32_t shadow_value(uint32_t entry, uint32_t half) {
    uint32_t doubled = half + entry;
    return doubled >> 1 | doubled << 31;
}

/* Returns whether the value is of a live block. False for chunks, which have the mark of freed blocks. */
static inline bool shadow_value_lives(uint32_t value) {
    return value - 1 < SHADOW_FREED - 1;
}

/* One instruction; the compiler would load, or and store. */
static inline void shadow_mark_freed(uint32_t *entry) {
    __asm__("orl %1, %0" : "+m"(*entry) : "i"(SHADOW_FREED << 1));
}

static inline bool shadow_has_none(const void *p, const uintptr_t *bits) {
    bool has_none;
    __asm__("testq %1, %2" : "=@ccz"(has_none) : "r"(p), "m"(*bits));
    return __builtin_expect(has_none, 1);
}

/* Returns whether a block at p may be in the tables. True also for NULL, whose entry is never used. */
static inline bool shadow_covers(const void *p) {
    return shadow_has_none(p, &shadow.slow_bits);
}

/* Returns whether the hot path may remove a block at p from the tables. */
static inline bool shadow_covers_hot(const void *p) {
    return shadow_has_none(p, &shadow.slow_bits_hot);
}

/* Returns the value of the small block at p minus `less`, and its index in the table in *entry. p must be
 * covered. For an entry of the other half the result has its highest bit set; a value below `less` wraps
 * around. The rotation leaves the half in the carry, which the subtraction consumes. */
static inline uint32_t shadow_read_less(const uint32_t *small, const void *p, uint32_t less,
                                        shadow_cell *entry) {
    register const uint32_t *table __asm__("r8") =
        small; /* otherwise GCC moves an argument to free a register */
    uint32_t value;
    *entry = (uintptr_t)p;
    __asm__("rorq $5, %0\n\tmovl (%2,%0,4), %1\n\tsbbl %3, %1\n\trorl %1"
            : "+&r"(*entry), "=&r"(value)
            : "r"(table), "er"(2 * less)
            : "cc", "memory");
    return value;
}

/* Set in the value of a huge block, so that the value exceeds those of small blocks. */
#define SHADOW_HUGE 0x80000000u

/* Returns the entry of the range that holds p, which must be covered. */
static inline struct shadow_large *shadow_large_entry(const void *p) {
    return &shadow.large[(uintptr_t)p / SHADOW_SMALL];
}

/* A block is entered where none is live. The allocator cannot return an address twice, unless a free bypassed
 * the runtime: then the report has an accuracy gap. */
#define SHADOW_ASSERT_FREE(value) ASSERT(!shadow_value_lives((value) & ~SHADOW_HUGE) || gaps_all())

/* above: the bits of the value above the size. Stores the size first, so that a concurrent walk of the table
 * never sees a live block with another size. */
static inline void shadow_enter_large(struct shadow_large *entry, const void *p, uint32_t above,
                                      uint32_t size) {
    SHADOW_ASSERT_FREE(entry->value);
    __atomic_store_n(&entry->size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->value, above | ((uint32_t)(uintptr_t)p & (SHADOW_SMALL - 1)), __ATOMIC_RELEASE);
}

/* Returns whether the value belongs to a block that starts at p. */
static inline bool shadow_large_is(uint32_t value, const void *p) {
    return (((uint32_t)(uintptr_t)p ^ value) & (SHADOW_SMALL - 1)) == 0;
}

enum block_state {
    BLOCK_NONE,  /* the address is unknown */
    BLOCK_LIVE,  /* a block starts there */
    BLOCK_FREED, /* a block started there and was freed */
};

/* When a block was allocated (count/change.h). */
struct birth {
    uint64_t number; /* the number of the allocation in the process, from 1; 0: unknown */
    uint64_t time;   /* from os_monotonic */
};

/* Set once by the options, before the first block: births are noted. */
extern bool births_wanted __attribute__((visibility("hidden")));

struct block {
    uint64_t size; /* the bytes that the program asked for */
    uint32_t slot;
    uint8_t state;      /* enum block_state */
    uint8_t family;     /* enum family */
    struct birth birth; /* set by the functions that remove a block */
};

/* Returns the block that starts at p. */
struct block shadow_find(const void *p);

/* The underlying allocator is known. glibc's blocks start at least 32 bytes apart (MINSIZE, malloc.c). */
void shadow_know_allocator(bool is_glibc);

/* Unmaps all tables: all blocks are unknown afterwards. No other thread may be in the runtime. */
void shadow_forget(void);

/* Sets slow_bits_hot according to the options. */
void shadow_show(void);

/* Called when slow_bits_hot has changed; NULL: nothing to call. */
extern void (*shadow_shown)(void) __attribute__((visibility("hidden")));

/* Returns whether a block that no allocator returned can have an entry. */
bool shadow_can_hold(const void *p, uint64_t size);

/* Add a block; shadow_put_apart: one that no allocator returned. False if memory is out. Keep errno. */
bool shadow_put(const void *p, uint32_t slot, enum family, uint64_t size);
bool shadow_put_apart(const void *p, uint32_t slot, enum family, uint64_t size);

/* Marks the block at p as freed. shadow_find must have found it live. */
void shadow_drop(const void *p);

/* Calls visit for each live block, in ascending order of addresses; those in the table of tables come last.
 * is_other returns whether a range of memory is known to hold no blocks, so that it is skipped. Returns NULL,
 * or the reason why the walk is incomplete. */
const char *shadow_walk(void (*visit)(void *context, const void *p, const struct block *), void *context,
                        bool (*is_other)(uintptr_t begin, uintptr_t end));

/* ---- The inside of the shadow table, for shadow_walk.c. */

#define SHADOW_ADDRESSES (UINT64_C(1) << ADDRESS_BITS)

#define REGION_SIZE      (UINT64_C(1) << 26)

/* The tables of a region of addresses, made for the first block in it. They hold small blocks at odd
 * multiples of 8 (some allocators use these for up to 8 bytes), blocks that no allocator returned, and all
 * blocks if the address space for the large tables is not available. */
struct region {
    uint32_t small[REGION_SIZE / 16];
    struct shadow_large large[REGION_SIZE / SHADOW_SMALL];
};

/* Calls visit for each region, in ascending order of start. odd is 8 for the tables of blocks at odd
 * multiples of 8, which come last; otherwise 0. */
void shadow_each_region(void (*visit)(void *context, uintptr_t start, const struct region *, unsigned odd),
                        void *context);

/* Returns *where after setting it to size zeroed bytes if it was NULL. NULL: memory is out. Keeps errno. */
void *shadow_made(void *where, size_t size);

struct block shadow_small_block(uint32_t value);
struct block shadow_large_block(const struct shadow_large *, const void *p);

#endif
