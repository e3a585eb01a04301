/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules of a report, in order: by path, then by build id. */
#ifndef ALLOCSITE_MODEL_MODULE_ORDER_H
#define ALLOCSITE_MODEL_MODULE_ORDER_H

#include "model/report.h"

/* Rows have other names in the place of a module's path, too: row_names.h. */
static inline bool module_is_file(const char *path) {
    return path && path[0] != '[';
}

void modules_sort(struct report_module *, size_t count);

/* The first one of a sorted list that has the path; NULL: none. */
const struct report_module *modules_find(const struct report_module *, size_t count, const char *path);

#endif
