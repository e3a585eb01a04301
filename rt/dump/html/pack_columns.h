/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the document is written from, and its rows of sites and stacks as columns. */
#ifndef ALLOCSITE_DUMP_HTML_PACK_COLUMNS_H
#define ALLOCSITE_DUMP_HTML_PACK_COLUMNS_H

#include "dump/html/pack.h"

struct pack_stack {
    size_t site, node;
    const struct counters *counters;
};

struct pack_stacks {
    struct pack_stack *list;
    size_t count, room;
};

struct pack {
    struct json json;
    const struct html *html;
    struct pack_tables tables;
    const struct report_site **sites; /* those that have a row */
    const struct report_site **old;   /* the same in the older report; NULL: new */
    struct report_site *gone;         /* what is left of those that were in the older one only */
    size_t site_count, gone_count;
    size_t *numbers;                       /* of each site of the report among them */
    size_t *old_numbers;                   /* and of the older one's */
    struct pack_stacks stacks, old_stacks; /* of these sites */
    const struct pack_stack *written;      /* the stacks, and */
    const struct counters **counters;      /* the counters of the rows that are written */
    struct tree_path path;
};

/* The member "sites". */
void pack_sites(struct pack *);

/* The member "old": of each site, what the older report has of it; from here on sites are those of that. */
void pack_old(struct pack *);

/* The member of that name. */
void pack_stacks_as(struct pack *, const char *key, const struct pack_stacks *);

#endif
