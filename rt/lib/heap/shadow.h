/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shadow table: who owns the block at an address, and how large it is.
 *
 * A block of less than SHADOW_SMALL bytes has an entry of 4 bytes in a table with one entry for each *cell*,
 * 32 bytes of heap: no two blocks of the C library start in the same one (MINSIZE in glibc's malloc.c). A
 * larger one has an entry of 8 bytes in a table with one for each SHADOW_SMALL bytes, for no two of these can
 * start in the same. So the tables take an eighth of a heap of small blocks and 0.8% of one of large blocks.
 * The table of cells could hold large ones, too, which cover several: but then it would take an eighth of
 * every heap, for it takes a page where any block starts in 32 KiB.
 *
 * Both tables cover the whole address space and take 17 TiB of it, of which only the pages that were written
 * cost anything. A table of tables instead would take 12 of 73 instructions of a malloc and a free more; it
 * serves where so much address space is not to be had, and for blocks at odd multiples of 8.
 *
 * Other allocators have blocks of 16 bytes, side by side. With these the small blocks in the second half of a
 * cell are in a table of their own, which is made when there is the first of them. Small blocks that no
 * allocator gave may lie anywhere within its blocks, or right before one: they are in the table of tables,
 * which has an entry for each 16 bytes.
 *
 * An entry is written and read by whoever holds the block, so it needs no lock: two threads at one entry are
 * a race of the program's own. Safe in signal handlers. A forked child has its parent's table. */
#ifndef ALLOCSITE_LIB_HEAP_SHADOW_H
#define ALLOCSITE_LIB_HEAP_SHADOW_H

#include "lib/base/slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a small block: freed:1 family:2 slot:18 size:10. A key is a slot in its place. In an entry it
 * stands above the half of the cell that the block starts in, 0 or 1; an entry is all zero where no block was
 * ever seen. Read for an address in the other half a value has its highest bit set. */
#define SHADOW_SMALL (1u << KEY_SHIFT)
#define FAMILY_AT    (KEY_SHIFT + SLOT_BITS)
_Static_assert(FAMILY_BACKING < 4, "two bits of an entry");
#define SHADOW_FREED 0x40000000u
#define SHADOW_OTHER 0x80000000u

#define SHADOW_CELL  32

#define ADDRESS_BITS 47

/* The number of the cell before that of an address, with the bits that must be zero on top, and above them
 * the half: so what comes below the second cell, NULL for one, has high bits too, and one test finds all that
 * is not for the table. */
typedef uint64_t shadow_cell;
#define SHADOW_HALF (UINT64_C(1) << 63)

/* The entry of a large block. */
struct shadow_large {
    uint32_t value; /* as of a small one, with its offset in the cell for the size */
    uint32_t size;  /* a giant's stands in those of the next two cells, which lie within the block */
};

struct shadow {
    uint64_t unfit;   /* bits of a shadow_cell of which a block in the table has none; at first all */
    uintptr_t beyond; /* the same of addresses */
    uint32_t *small;  /* an entry for each cell */
    struct shadow_large *large; /* an entry for each SHADOW_SMALL bytes */
    uintptr_t end;              /* of the addresses that the tables cover; 0: they are not there */
    uintptr_t beyond_hot; /* as beyond, for the hot path of what goes: all bits with pairs=1 and lifetime=1,
                             for which it is left before it looks for the block */
    uint32_t *second;     /* as small, of second halves where a block may start in each; NULL: not there */
};

extern struct shadow shadow __attribute__((visibility("hidden")));

/* One instruction where GCC would copy and and. */
static inline bool shadow_fits(shadow_cell cell) {
    bool fits;
    __asm__("testq %1, %2" : "=@ccz"(fits) : "r"(cell), "m"(shadow.unfit));
    return __builtin_expect(fits, 1);
}

/* The half falls out at the top. */
static inline uint32_t *shadow_entry_in(const uint32_t *table, shadow_cell cell) {
    return (uint32_t *)((uintptr_t)table + (cell + 1) * sizeof(uint32_t));
}

static inline uint32_t *shadow_entry(shadow_cell cell) {
    return shadow_entry_in(shadow.small, cell);
}

/* The entry of a small block of an allocator. NULL: it has to be looked for, or there is none. */
static inline uint32_t *shadow_entry_any(shadow_cell cell) {
    if (shadow_fits(cell))
        return shadow_entry(cell);
    bool is_second = (cell & shadow.unfit) == SHADOW_HALF && shadow.second;
    return is_second ? shadow_entry_in(shadow.second, cell) : NULL;
}

/* Where a block at p has its entry, and that for the value. The carry of the rotation is the half: two
 * instructions where compilers make five. p is taken from where an allocator returned it, or GCC would
 * move it away and back. */
static inline shadow_cell shadow_encode(const void *p, uint32_t value, uint32_t *entry) {
    shadow_cell cell;
    __asm__("leaq %c3(%2), %0\n\trorq $5, %0\n\tadcl %1, %1"
            : "=&r"(cell), "+&r"(value)
            : "a"(p), "i"(-SHADOW_CELL)
            : "cc");
    *entry = value;
    return cell;
}

/* Where a block at p has its entry, and what is to be added to that for the value: nothing or minus one. */
static inline shadow_cell shadow_find_cell(const void *p, uint32_t *half) {
    uint64_t from = (uintptr_t)p - SHADOW_CELL;
    __asm__("rorq $5, %0\n\tsbbl %1, %1" : "+r"(from), "=r"(*half) : : "cc");
    return from;
}

static inline uint32_t shadow_value(uint32_t entry, uint32_t half) {
    uint32_t doubled = half + entry;
    return doubled >> 1 | doubled << 31;
}

/* Whether a block lives there that is not backing, which has the mark of freed ones too. */
static inline bool shadow_value_lives(uint32_t value) {
    return value - 1 < SHADOW_FREED - 1;
}

/* One instruction where the compiler would load, or and store. */
static inline void shadow_mark_freed(uint32_t *entry) {
    __asm__("orl %1, %0" : "+m"(*entry) : "i"(SHADOW_FREED << 1));
}

static inline bool shadow_has_none(const void *p, const uintptr_t *bits) {
    bool has_none;
    __asm__("testq %1, %2" : "=@ccz"(has_none) : "r"(p), "m"(*bits));
    return __builtin_expect(has_none, 1);
}

/* Whether a block at p may be looked for in the tables. NULL has the entry of a cell where none can start. */
static inline bool shadow_covers(const void *p) {
    return shadow_has_none(p, &shadow.beyond);
}

/* Whether the hot path may take it out of them. */
static inline bool shadow_covers_hot(const void *p) {
    return shadow_has_none(p, &shadow.beyond_hot);
}

/* The value, less so much, of the small block at p, which must be covered, and its entry from the table on.
 * One of the other half has the highest bit set, and one that is lower wraps around. The carry of
 * the rotation is the half, and goes into the subtraction. */
static inline uint32_t shadow_read_less(const uint32_t *small, const void *p, uint32_t less,
                                        shadow_cell *entry) {
    register const uint32_t *table __asm__("r8") = small; /* or GCC moves an argument away for it */
    uint32_t value;
    *entry = (uintptr_t)p;
    __asm__("rorq $5, %0\n\tmovl (%2,%0,4), %1\n\tsbbl %3, %1\n\trorl %1"
            : "+&r"(*entry), "=&r"(value)
            : "r"(table), "er"(2 * less)
            : "cc", "memory");
    return value;
}

/* In the value of a large block, which then is above all of small ones. */
#define SHADOW_GIANT 0x80000000u

/* The entry of the cell that holds p, which must be covered. */
static inline struct shadow_large *shadow_large_entry(const void *p) {
    return &shadow.large[(uintptr_t)p / SHADOW_SMALL];
}

/* above: what a small one's value has above the size. Who walks the table meanwhile finds no live block of
 * another size. */
static inline void shadow_enter_large(struct shadow_large *entry, const void *p, uint32_t above,
                                      uint32_t size) {
    __atomic_store_n(&entry->size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->value, above | ((uint32_t)(uintptr_t)p & (SHADOW_SMALL - 1)), __ATOMIC_RELEASE);
}

/* Whether a value is of p. */
static inline bool shadow_large_is(uint32_t value, const void *p) {
    return (((uint32_t)(uintptr_t)p ^ value) & (SHADOW_SMALL - 1)) == 0;
}

enum block_state {
    BLOCK_NONE,  /* nothing is known of that address */
    BLOCK_LIVE,  /* a block starts there */
    BLOCK_FREED, /* a block did */
};

/* When it came (count/change.h). */
struct birth {
    uint64_t number; /* among all blocks of the process that came, from 1 on; 0: not known */
    uint64_t time;   /* of os_monotonic */
};

/* Set once by the options, before anything is noted. */
extern bool births_wanted __attribute__((visibility("hidden")));

struct block {
    uint64_t size; /* as the program asked for */
    uint32_t slot;
    uint8_t state;      /* enum block_state */
    uint8_t family;     /* enum family */
    struct birth birth; /* of one that was taken out; else none */
};

/* The block that starts at p. */
struct block shadow_find(const void *p);

/* The allocator behind malloc is known now; glibc's blocks start at least 32 bytes apart (MINSIZE in
 * malloc.c). */
void shadow_know_allocator(bool is_glibc);

/* To the hot path, or not: that depends on the options. */
void shadow_show(void);

/* Called when beyond_hot has changed. */
extern void (*shadow_shown)(void) __attribute__((visibility("hidden")));

/* Whether a block of that size at p, which no allocator gave, has a place of its own in the table. */
bool shadow_can_hold(const void *p, uint64_t size);

/* Enters it; the second one a block that no allocator gave. False: no memory. Keep errno. */
bool shadow_put(const void *p, uint32_t slot, enum family, uint64_t size);
bool shadow_put_apart(const void *p, uint32_t slot, enum family, uint64_t size);

/* Marks the block at p, which shadow_find found to be live, as freed. */
void shadow_drop(const void *p);

/* Calls visit for each live block, in ascending order of addresses but for those in the table of tables,
 * which come behind all others. is_other: whether memory is known to hold none, and need not be looked
 * through. NULL, or why not all of them could be found. */
const char *shadow_walk(void (*visit)(void *context, const void *p, const struct block *), void *context,
                        bool (*is_other)(uintptr_t begin, uintptr_t end));

/* ---- The inside of the shadow table, for walking it. */

#define SHADOW_ADDRESSES (UINT64_C(1) << ADDRESS_BITS)

#define REGION_SIZE      (UINT64_C(1) << 26)

/* Tables for a region, made when a block in it is first seen: for small blocks at odd multiples of 8, which
 * some allocators give for up to 8 bytes, for those that no allocator gave, and for all others where the
 * large tables could not be had. */
struct region {
    uint32_t small[REGION_SIZE / 16];
    struct shadow_large large[REGION_SIZE / SHADOW_SMALL];
};

/* Calls visit for each that there is, in ascending order; start: of its addresses; odd: 8 for blocks at odd
 * multiples of that, which come last, else 0. */
void shadow_each_region(void (*visit)(void *context, uintptr_t start, const struct region *, unsigned odd),
                        void *context);

/* *where, a pointer, made of size zeroed bytes if it is NULL. NULL: no memory. Keeps errno. */
void *shadow_made(void *where, size_t size);

struct block shadow_small_block(uint32_t value);
struct block shadow_large_block(const struct shadow_large *, const void *p);

#endif
