/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The resident memory of a process, divided by its use. */
#ifndef ALLOCSITE_DUMP_CAPTURE_RESIDENT_H
#define ALLOCSITE_DUMP_CAPTURE_RESIDENT_H

#include "dump/capture/capture.h"
#include "dump/graph/show.h"

/* The pages of the heap of which live blocks use at most half, as far as they have blocks of one site. */
struct resident_site {
    uint32_t site;          /* of the graph; the first member of both kinds of rows */
    uint64_t kept;          /* unused bytes of these pages; sites share a page by their bytes in it */
    uint64_t pages;         /* pages with blocks of the site */
    uint64_t bytes, blocks; /* of the site in these pages */
};

/* With maps=1, the program's mappings that one site made, without those in which it has blocks. */
struct resident_mapped {
    uint32_t site;
    uint64_t resident, bytes, mappings;
};

/* A mapping of the stopped process. */
struct resident_map {
    uint64_t begin, end, bytes;
    uint64_t left;             /* bytes that are in no part yet */
    enum resident_part part;   /* RESIDENT_FREE: heap */
    unsigned char *is_present; /* for each page of a heap, or with mappings of the program; NULL: none */
    uint16_t *used;            /* bytes of live blocks in each page */
};

struct resident {
    struct resident_map *maps; /* by ascending address */
    size_t map_count, map_capacity;
    uint64_t parts[RESIDENT_PART_COUNT]; /* in bytes */
    uint64_t total;                      /* their sum */
    struct resident_site *sites;         /* by descending kept bytes */
    size_t site_count;
    struct resident_mapped *mapped; /* by descending resident bytes */
    size_t mapped_count;
};

/* Reads the mappings while the process is stopped. False: *why has the reason. */
bool resident_read(struct resident *, const struct capture *, struct reason *why);

/* Divides it by the live blocks and the program's mappings. graph, sites: of the blocks; NULL: the parts
 * suffice, without the sites of pages and mappings. */
struct capture_sites;
void resident_divide(struct resident *, const struct capture *, const struct graph *,
                     const struct capture_sites *);
void resident_free(struct resident *);

/* As text or JSON. top: sites to show; 0: all. */
void resident_write(struct out *, const struct resident *, const struct graph *, size_t top,
                    enum graph_format);

#endif
