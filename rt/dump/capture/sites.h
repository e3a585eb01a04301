/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The edges of the graph, which are words of blocks that point to blocks, and the sites of blocks. The types
 * of blocks give edges the names of fields. */
#ifndef ALLOCSITE_DUMP_CAPTURE_SITES_H
#define ALLOCSITE_DUMP_CAPTURE_SITES_H

#include "dump/capture/heap.h"
#include "dump/graph/graph.h"
#include "dump/line/symbolize.h"
#include "dump/load/source.h"
#include "dump/types/layouts.h"

/* The elements of a site's blocks. */
struct block_type {
    uint64_t size; /* 0: unknown */
    bool is_pointers, is_flexible;
    bool is_bytes;             /* raw memory, of size 1 */
    bool is_empty;             /* has no members */
    bool is_aligned;           /* all fields of all elements are aligned */
    struct type_field *fields; /* by ascending offset */
    uint32_t *labels;          /* names of the fields, strings of the graph; for pointers the one name of all
                                * elements */
    size_t field_count;
    uint64_t *covered; /* a bit for each aligned word that is a field */
};

/* type: NULL if unknown. */
void block_type_set(struct block_type *, const struct module_type *type, struct string_pool *texts);
void block_type_free(struct block_type *);

/* The offset of the first element in a block of that size. */
uint64_t block_type_first(const struct block_type *, uint64_t size);

/* True if there may be a pointer at the offset. */
bool block_type_has(const struct block_type *, uint64_t size, uint64_t offset);

/* True if the dynamic loader allocated the site's blocks, for example as memory of threads and modules. A
 * site is recognized by its module or function, and a chosen line by its callee. */
bool capture_is_loaders(const struct site_view *);

/* Adds the edges of all blocks. The graph and the finder have blocks in the same order. types: of the sites.
 * coroutines: stacks that other words may point to; NULL: not searched. False: too many edges. */
struct coroutines;
bool capture_edges(struct graph *, const struct finder *, const struct block_type *types,
                   struct coroutines *);

/* Adds the beginning of the text in blocks. */
void capture_contents(struct graph *, const struct image *);

/* ---- The sites of blocks, from the counters of the process. */

struct capture_sites {
    const struct report_source *source;
    struct symbolizer symbolizer; /* for functions of unsited calls */
    struct module_list modules;
    struct type_layouts layouts;
    struct block_type *types; /* of each site of the graph */
    struct capture_choice {
        uint32_t first, count; /* copies of a site, one for each of its types */
    } * choices;  /* of each site; count 0: the site has one type, or some of its types are unknown */
    bool *in_use; /* by slot: blocks of the dynamic loader, which finds them by other means than
                   * pointers */
};

/* Adds the sites to the graph. The first is for blocks that are not counted, the second for blocks of unknown
 * site. source: the counters of the process. */
void capture_sites_add(struct capture_sites *, struct graph *, struct string_pool *texts,
                       const struct report_source *source, const struct line_options *line);

void capture_sites_free(struct capture_sites *, const struct graph *);

/* Copies the strings, so that the graph owns them. */
void capture_texts_copy(struct graph *, struct string_pool *);

/* The first two sites of a graph, and the site of the report's first row. */
enum { CAPTURE_UNCOUNTED, CAPTURE_UNKNOWN, CAPTURE_FIRST };

/* The graph's site for a slot. ours: the slot of blocks that are not counted. */
uint32_t capture_site_of(const struct capture_sites *, uint32_t slot, uint32_t ours);

/* The graph's stack for a slot; GRAPH_NONE: none. */
uint32_t capture_stack_of(const struct capture_sites *, uint32_t slot);

/* ---- Blocks of sites that allocate several types. */

struct capture_maps;

/* Gives each block the type that fits its size best. If several do, exactly one must fit its words: pointers
 * are NULL or point to mapped memory. Otherwise the block keeps the site of all types. */
void capture_choose(struct graph *, const struct capture_sites *, const struct string_pool *texts,
                    const struct finder *, const struct capture_maps *);

#endif
