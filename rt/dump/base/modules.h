/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of a report, in order: by path, then by build id. */
#ifndef ALLOCSITE_DUMP_BASE_MODULES_H
#define ALLOCSITE_DUMP_BASE_MODULES_H

#include "model/report.h"

/* Rows have other names in the place of a module's path, too: those below. */
static inline bool module_is_file(const char *path) {
    return path && path[0] != '[';
}

void modules_sort(struct report_module *, size_t count);

/* The first one of a sorted list that has the path; NULL: none. */
const struct report_module *modules_find(const struct report_module *, size_t count, const char *path);

/* ---- Rows that stand for sites of which nothing is known but their counters: unsited rows of a module that
 * has no path. */

/* Their names did not get into the profile. */
#define ROW_UNNAMED    "[unnamed]"
#define ROW_UNNAMED_ID 1

/* A report had their sum alone. */
#define ROW_LEFT_OUT    "[left out]"
#define ROW_LEFT_OUT_ID 2

#endif
