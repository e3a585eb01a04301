/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `allocsite-dump wrappers` writes: the wrappers of one module. */
#ifndef ALLOCSITE_WRAPPERS_H
#define ALLOCSITE_WRAPPERS_H

#include "../lib/out.h"
#include "table.h"

/* As a list of allocators. */
void wrappers_text(struct out *, const struct table *);

/* One line: a document of the format "allocsite-wrappers". */
void wrappers_json(struct out *, const char *module, const struct table *);

#endif
