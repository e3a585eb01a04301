/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sites of blocks, by what the process has counted for their slots. */
#ifndef ALLOCSITE_DUMP_CAPTURE_SITES_H
#define ALLOCSITE_DUMP_CAPTURE_SITES_H

#include "dump/capture/edges.h"
#include "dump/load/source.h"
#include "dump/load/symbolize.h"

struct capture_sites {
    struct report_source source;  /* of a graph that its process has written: of its report alone */
    struct symbolizer symbolizer; /* of a process, for its unsited functions */
    struct module_list modules;
    struct type_layouts layouts;
    struct block_type *types; /* of each site of the graph */
    struct capture_choice {
        uint32_t first, count; /* sites that are the same, each with one of its types */
    } * choices;               /* of each site; count 0: it has one type, or not all are known */
    bool *in_use;              /* what the dynamic loader has, and finds by other ways than pointers */
};

/* Adds the sites to the graph: first that of blocks that nobody counts, then that of those whose site is not
 * known. False: *why says why. */
bool capture_sites_read(struct capture_sites *, struct graph *, struct string_pool *texts, unsigned pid,
                        struct reason *why);

/* The same by a report that is not prepared, and to which source points. */
void capture_sites_add(struct capture_sites *, struct graph *, struct string_pool *texts);
void capture_sites_free(struct capture_sites *, const struct graph *);

/* The graph has them for itself. */
void capture_texts_copy(struct graph *, struct string_pool *);

/* The first two sites of a graph, and that of a row of the report. */
enum { CAPTURE_UNCOUNTED, CAPTURE_UNKNOWN, CAPTURE_FIRST };
uint32_t capture_site_of_row(const struct capture_sites *, const struct report_site *row);

/* The site of the graph that a slot is. ours: the slot of blocks that nobody counts. */
uint32_t capture_site_of(const struct capture_sites *, uint32_t slot, uint32_t ours);

/* ---- Blocks of sites that allocate several types. */

struct capture_maps;

/* A block is of the one type that fits its size best, or if several do and finder is not NULL the one of them
 * that fits its words: pointers are NULL or lead to memory that there is. Else it keeps the site of all. */
void capture_choose(struct graph *, const struct capture_sites *, const struct string_pool *texts,
                    const struct finder *, const struct capture_maps *);

#endif
