/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The edges of the graph: the words of all blocks that point to blocks, with the names of the fields that the
 * types of the blocks say they are. */
#ifndef ALLOCSITE_DUMP_CAPTURE_SITES_H
#define ALLOCSITE_DUMP_CAPTURE_SITES_H

#include "dump/capture/heap.h"
#include "dump/graph/graph.h"
#include "dump/line/symbolize.h"
#include "dump/load/source.h"
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

/* Returns whether the dynamic loader allocated a site's blocks, as memory of threads and modules. A site is
 * known by its module or function, and a chosen line by the function that it calls. */
bool capture_is_loaders(const struct site_view *);

/* Adds the edges of all blocks, which the graph has in the order of the finder. types: of its sites.
 * coroutines: that other words may lead to; NULL: they are not looked for. False: there are more edges than
 * can be. */
struct coroutines;
bool capture_edges(struct graph *, const struct finder *, const struct block_type *types,
                   struct coroutines *);

/* Adds how texts in blocks begin. */
void capture_contents(struct graph *, const struct image *);

/* ---- The sites of blocks, by what the process has counted for their slots. */

struct capture_sites {
    const struct report_source *source;
    struct symbolizer symbolizer; /* for unsited functions */
    struct module_list modules;
    struct type_layouts layouts;
    struct block_type *types; /* of each site of the graph */
    struct capture_choice {
        uint32_t first, count; /* sites that are the same, each with one of its types */
    } * choices;               /* of each site; count 0: it has one type, or not all are known */
    bool *in_use;              /* what the dynamic loader has, and finds by other ways than pointers */
};

/* Adds the sites to the graph: first that of blocks that nobody counts, then that of those whose site is not
 * known. source: what the process has counted. */
void capture_sites_add(struct capture_sites *, struct graph *, struct string_pool *texts,
                       const struct report_source *source, const struct line_options *line);

void capture_sites_free(struct capture_sites *, const struct graph *);

/* The graph has them for itself. */
void capture_texts_copy(struct graph *, struct string_pool *);

/* The first two sites of a graph, and that of the report's first row. */
enum { CAPTURE_UNCOUNTED, CAPTURE_UNKNOWN, CAPTURE_FIRST };

/* The site of the graph that a slot is. ours: the slot of blocks that nobody counts. */
uint32_t capture_site_of(const struct capture_sites *, uint32_t slot, uint32_t ours);

/* The stack of the graph that a slot is; GRAPH_NONE: none. */
uint32_t capture_stack_of(const struct capture_sites *, uint32_t slot);

/* ---- Blocks of sites that allocate several types. */

struct capture_maps;

/* A block is of the one type that fits its size best, or if several do the one of them that fits its words:
 * pointers are NULL or lead to memory that there is. Else it keeps the site of all. */
void capture_choose(struct graph *, const struct capture_sites *, const struct string_pool *texts,
                    const struct finder *, const struct capture_maps *);

#endif
