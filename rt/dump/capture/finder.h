/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which block a word points to, by LeakSanitizer's rules (lib/reach/blocks.c): to its start or into it. */
#ifndef ALLOCSITE_DUMP_CAPTURE_FINDER_H
#define ALLOCSITE_DUMP_CAPTURE_FINDER_H

#include "dump/capture/heap.h"

#include <stdbool.h>
#include <stddef.h>

struct finder {
    const struct image *image;
    const struct heap_block *blocks;
    size_t count;
    uint64_t *samples; /* the start of every 16th block */
    size_t sample_count;
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
