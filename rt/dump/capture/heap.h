/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A copy of those pages of a process that were ever written: the rest is zeros. */
#ifndef ALLOCSITE_DUMP_CAPTURE_HEAP_H
#define ALLOCSITE_DUMP_CAPTURE_HEAP_H

#include "dump/process/memory.h"

#include <stdbool.h>
#include <stddef.h>

struct image_run {
    uint64_t address, size;
    char *bytes;
    bool is_shared; /* with files and other processes: a copy of the process has no copy of it */
};

struct image {
    int pagemap;
    uint64_t size; /* of all pages that were asked for */
    struct image_run *runs;
    size_t count, room;
    char *bytes;
    uint64_t room_bytes;
};

bool image_open(struct image *, unsigned pid, struct reason *why);
void image_close(struct image *);

/* Has memory ready for so much, so that no time is lost with that while the process stands still. */
bool image_make_room(struct image *, uint64_t size, struct reason *why);

/* Asks for those pages from begin to end that there are. Returns how many bytes these are. */
uint64_t image_want(struct image *, uint64_t begin, uint64_t end);

/* Forgets what was asked for. */
void image_want_none(struct image *);

/* Finds of what was asked for what a copy of the process does not have of its own: that it counts as shared.
 */
bool image_share(struct image *, unsigned copy, struct reason *why);

/* No more is asked for. False: *why says why. */
bool image_end(struct image *, struct reason *why);

/* Copies what is shared, or the rest; what cannot be read is left out. */
void image_copy(struct image *, struct remote_memory *, bool is_shared);

/* What is there of the memory from the address on, at most so much; NULL: nothing at it. */
const char *image_at(const struct image *, uint64_t address, uint64_t *size);

/* The first run that ends behind the address; the number of runs: none. */
size_t image_behind(const struct image *, uint64_t address);

/* False: not all of it is there. */
bool image_read(const struct image *, uint64_t address, void *to, size_t size);

/* ---- The live blocks of a process that stands still, by the runtime's own table (lib/heap/shadow.h). */

struct heap_block {
    uint64_t start, size;
    uint32_t slot;
    bool is_backing; /* of a custom allocator, which hands it out in parts */
};

struct heap_span {
    uint64_t begin, end;
};

struct heap {
    struct root_heap layout;
    uint64_t small, large, second, end, even, odd; /* as in root_heap, what is there */
    int64_t local;
    struct heap_span *spans; /* of memory that may have blocks */
    size_t span_count, span_room;
    struct heap_block *blocks; /* by rising address */
    size_t count, room;
};

/* Reads where the tables are. False: *why says why. */
bool heap_open(struct heap *, const struct remote_root *, struct remote_memory *, struct reason *why);
void heap_close(struct heap *);

/* Returns the slot of the runtime's own blocks, which no site counts: the highest one. */
static inline uint32_t heap_ours(const struct heap *heap) {
    return (1u << heap->layout.slot_bits) - 1;
}

/* Asks for what the tables of other allocators' blocks have. */
void heap_want_regions(const struct heap *, struct image *, struct remote_memory *);

/* Asks for what the tables have of the mapping, if that is none of the tables. False: there are no blocks. */
bool heap_want(struct heap *, struct image *, uint64_t begin, uint64_t end);

/* Whether it is a part of the tables. */
bool heap_is_table(const struct heap *, uint64_t begin, uint64_t end);

/* Finds the blocks in the copy. */
void heap_read(struct heap *, const struct image *);

/* Calls visit for each block that starts between two addresses, or did before it was freed, in no order. Does
 * not know those in regions. */
void heap_visit_all(const struct heap *, const struct image *, uint64_t begin, uint64_t end,
                    void (*visit)(void *context, uint64_t start, uint64_t size), void *context);

/* ---- Which block a word points to: to its start or into it. */

struct finder {
    const struct image *image;
    const struct heap_block *blocks;
    size_t count;
    struct finder_group {
        uint64_t begin;     /* of its first block */
        size_t block, cell; /* the first of its blocks, and of its cells */
    } * groups;             /* of blocks that lie close, and one more at the end */
    size_t group_count, group_room;
    uint32_t *cells; /* of each stretch of 512 bytes: the first block that begins there or later */
    size_t cell_count, cell_room;
    uint64_t lowest, extent; /* no block is or ends outside */
};

#define FINDER_NONE SIZE_MAX

void finder_open(struct finder *, const struct heap *, const struct image *);
void finder_close(struct finder *);

/* heads: what is looked through has the C library's pointers to the heads of free blocks, which lie in the
 * end of the block before. FINDER_NONE: the word points to no block. */
size_t finder_find(const struct finder *, uint64_t word, bool heads);

/* The last block that starts at the address or before; FINDER_NONE: none. */
size_t finder_before(const struct finder *, uint64_t address);

#endif
