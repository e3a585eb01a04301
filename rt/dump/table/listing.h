/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of `allocsite-dump sites`: the table of one module, as text or JSON. */
#ifndef ALLOCSITE_DUMP_TABLE_LISTING_H
#define ALLOCSITE_DUMP_TABLE_LISTING_H

#include "base/out.h"
#include "dump/table/table.h"

struct site_view;

/* The site as the shared writers see it; chain is where its callers go. */
struct site_view sites_view(const char *module, const struct table *, const struct table_site *,
                            struct place chain[TABLE_CHAIN_MAX]);

/* What people want of the table. */
struct listing {
    bool has_frees; /* sites that only free, too */
    bool full_names;
};

/* By file: a line or two for each site, one for its inline chain, and a line of counts. */
void sites_text(struct out *, const struct table *, const struct listing *);

/* One line: a document of the format "allocsite-sites". */
void sites_json(struct out *, const char *module, const struct table *);

/* "file:line:column" as far as they are known, the file relative if it lies below the current directory. */
void out_place(struct out *, const struct place *);

#endif
