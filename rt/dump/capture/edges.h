/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The edges of the graph: the words of all blocks that point to blocks, with the names of the fields that the
 * types of the blocks say they are. */
#ifndef ALLOCSITE_DUMP_CAPTURE_EDGES_H
#define ALLOCSITE_DUMP_CAPTURE_EDGES_H

#include "dump/capture/heap.h"
#include "dump/graph/graph.h"
#include "dump/types/layouts.h"

/* What the blocks of a site are made of. */
struct block_type {
    uint64_t size; /* 0: nothing is known */
    bool is_pointers, is_flexible;
    bool is_bytes;             /* raw memory, of size 1 */
    bool is_empty;             /* has no members */
    bool is_aligned;           /* all fields of all elements are */
    struct type_field *fields; /* by rising offset */
    uint32_t *labels;          /* of the fields: texts of the graph; of pointers the one of all elements */
    size_t field_count;
    uint64_t *covered; /* a bit for each aligned word that is a field */
};

/* type: NULL: nothing is known. */
void block_type_set(struct block_type *, const struct module_type *type, struct string_pool *texts);
void block_type_free(struct block_type *);

/* Where the first element of a block of that size is. */
uint64_t block_type_first(const struct block_type *, uint64_t size);

/* Whether a pointer may be there. */
bool block_type_has(const struct block_type *, uint64_t size, uint64_t offset);

/* Adds the edges of all blocks, which the graph has in the order of the finder. types: of its sites. False:
 * there are more than can be. */
bool capture_edges(struct graph *, const struct finder *, const struct block_type *types);

/* Names the edges of a graph that has them all. */
void capture_edges_name(struct graph *, const struct block_type *types);

/* Adds how texts in blocks begin. */
void capture_contents(struct graph *, const struct image *);

#endif
