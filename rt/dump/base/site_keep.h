/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites that outlive the report that they are of. */
#ifndef ALLOCSITE_DUMP_BASE_SITE_KEEP_H
#define ALLOCSITE_DUMP_BASE_SITE_KEEP_H

#include "dump/base/hash_index.h"
#include "model/site.h"

/* The same for sites that order_identity (model/report_order.h) finds to be one. */
uint64_t site_hash(const struct site_view *);

/* Makes a copy whose texts are the pool's. Returns its inline chain, which is the caller's to free; NULL: it
 * has none. */
struct place *site_keep(struct site_view *, const struct site_view *from, struct string_pool *);

#endif
