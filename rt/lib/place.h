/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places in the source as people read them. */
#ifndef ALLOCSITE_PLACE_H
#define ALLOCSITE_PLACE_H

#include "site_json.h"

/* Writes "src/a.c:12:7", line and column where they are known. Paths below directory are shown relative to
 * it; NULL: none are. */
void place_write(struct out *, const struct place *, const char *directory);

/* The path of it alone; NULL: a question mark. */
void place_write_path(struct out *, const char *path, const char *directory);

#endif
