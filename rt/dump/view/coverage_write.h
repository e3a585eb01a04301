/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the lists of unused sites and of files have in common. */
#ifndef ALLOCSITE_DUMP_VIEW_COVERAGE_WRITE_H
#define ALLOCSITE_DUMP_VIEW_COVERAGE_WRITE_H

#include "base/json.h"
#include "dump/view/coverage.h"
#include "write/page.h"

/* What stands above the list for people: whose sites these are, and why some may be missing. */
void coverage_head(const struct page *, const struct coverage *);

/* The document up to its list: members of the totals and "modules". format: its name. */
struct json coverage_begin_json(struct out *, const struct coverage *, const struct report *,
                                const char *format);

/* "69.1", of 100. */
void coverage_percent(struct out *, size_t part, size_t whole);

#endif
