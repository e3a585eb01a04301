/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A copy of the pages of a process that were ever written. All others are zero. */
#ifndef ALLOCSITE_DUMP_CAPTURE_HEAP_H
#define ALLOCSITE_DUMP_CAPTURE_HEAP_H

#include "dump/process/memory.h"

#include <stdbool.h>
#include <stddef.h>

struct image_run {
    uint64_t address, size;
    char *bytes;
    bool is_shared; /* shared with files or processes, or kept from children: a forked copy of the process
                     * does not have it */
};

struct image {
    int pagemap;
    uint64_t size; /* of all wanted pages */
    struct image_run *runs;
    size_t count, capacity;
    char *bytes;
    uint64_t room_bytes;
};

bool image_open(struct image *, unsigned pid, struct reason *why);
void image_close(struct image *);

/* Reserves memory for the copy, so that this takes no time while the process is stopped. */
bool image_make_room(struct image *, uint64_t size, struct reason *why);

/* Adds the existing pages from begin to end to the wanted ones. Returns their size in bytes. */
uint64_t image_want(struct image *, uint64_t begin, uint64_t end);

/* Forgets the wanted pages. */
void image_want_none(struct image *);

/* Marks as shared the wanted pages that a forked copy of the process does not have. */
bool image_share(struct image *, unsigned copy, struct reason *why);

/* Ends the list of wanted pages. False: *why has the reason. */
bool image_end(struct image *, struct reason *why);

/* Copies the shared pages, or all others. Skips unreadable pages. */
void image_copy(struct image *, struct remote_memory *, bool is_shared);

/* Returns the copied memory at the address and reduces *size to the bytes available; NULL: none. */
const char *image_at(const struct image *, uint64_t address, uint64_t *size);

/* The first run that ends after the address; the number of runs: none. */
size_t image_first_from(const struct image *, uint64_t address);

/* False: not all bytes were copied. */
bool image_read(const struct image *, uint64_t address, void *to, size_t size);

/* ---- The live blocks of a stopped process, read from the runtime's shadow table (lib/heap/shadow.h). */

struct heap_block {
    uint64_t start, size;
    uint32_t slot;
    bool is_chunk; /* chunk of a custom allocator */
};

struct heap_span {
    uint64_t begin, end;
};

struct heap {
    struct root_heap layout;
    uint64_t small, large, second, end, even, odd; /* addresses of the tables, as in root_heap; 0: absent */
    int64_t local;
    struct heap_span *spans; /* memory that may contain blocks */
    size_t span_count, span_capacity;
    struct heap_block *blocks; /* by ascending address */
    size_t count, capacity;
};

/* Reads where the tables are. False: *why has the reason. */
bool heap_open(struct heap *, const struct remote_root *, struct remote_memory *, struct reason *why);
void heap_close(struct heap *);

/* The slot of the runtime's own blocks, which no site counts: the highest one. */
static inline uint32_t heap_ours(const struct heap *heap) {
    return (1u << heap->layout.slot_bits) - 1;
}

/* Adds the tables for blocks of other allocators to the wanted pages. */
void heap_want_regions(const struct heap *, struct image *, struct remote_memory *);

/* Adds the table entries of a mapping to the wanted pages, unless it is a table itself. False: it has no
 * blocks. */
bool heap_want(struct heap *, struct image *, uint64_t begin, uint64_t end);

/* True if the memory is part of a table. */
bool heap_is_table(const struct heap *, uint64_t begin, uint64_t end);

/* Reads the blocks from the copy. */
void heap_read(struct heap *, const struct image *);

/* Calls visit, in no particular order, for each block that starts between two addresses, live or freed.
 * Blocks in regions are skipped. */
void heap_visit_all(const struct heap *, const struct image *, uint64_t begin, uint64_t end,
                    void (*visit)(void *context, uint64_t start, uint64_t size), void *context);

/* ---- Finds the block that a word points to, at its start or inside. */

struct finder {
    const struct image *image;
    const struct heap_block *blocks;
    size_t count;
    struct finder_group {
        uint64_t begin;     /* start of its first block */
        size_t block, cell; /* index of its first block and of its first cell */
    } * groups;             /* ranges of nearby blocks, and a sentinel */
    size_t group_count, group_capacity;
    uint32_t *cells; /* for each 512 bytes, the first block that starts there or later */
    size_t cell_count, cell_capacity;
    uint64_t lowest, extent; /* bounds of all blocks, for a quick test */
};

#define FINDER_NONE SIZE_MAX

void finder_open(struct finder *, const struct heap *, const struct image *);
void finder_close(struct finder *);

/* heads: the word may be a pointer of the C library to the header of a free chunk, which overlaps the end of
 * the block before. FINDER_NONE: the word points to no block. */
size_t finder_find(const struct finder *, uint64_t word, bool heads);

/* The last block that starts at or before the address; FINDER_NONE: none. */
size_t finder_before(const struct finder *, uint64_t address);

#endif
