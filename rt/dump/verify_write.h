/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `allocsite-dump sites --verify` writes about one module. */
#ifndef ALLOCSITE_VERIFY_WRITE_H
#define ALLOCSITE_VERIFY_WRITE_H

#include "../lib/out.h"
#include "evidence.h"

struct verification {
    struct out *out;
    bool is_json;
    const char *module;
    const struct table *table;
    size_t counts[VERDICT_COUNT];
    const struct table_site *examples[VERDICT_COUNT];
};

void verification_begin(struct verification *);

/* Counts the site and, if it disagrees, names it. */
void verification_add(struct verification *, const struct table_site *, enum verdict,
                      const struct reason *why);

void verification_end(struct verification *);

#endif
