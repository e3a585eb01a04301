/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of a report's modules. */
#include "dump/base/modules.h"

#include "base/sort.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const struct report_module *left = a, *right = b;
    return compare_names(left->path, right->path) ?: compare_names(left->build_id, right->build_id);
}

void modules_sort(struct report_module *modules, size_t count) {
    if (count)
        qsort(modules, count, sizeof *modules, compare);
}

static int compare_path(const void *path, const void *module) {
    return compare_names(path, ((const struct report_module *)module)->path);
}

const struct report_module *modules_find(const struct report_module *modules, size_t count,
                                         const char *path) {
    size_t first = sorted_before(modules, count, sizeof *modules, path, compare_path);
    return first < count && compare_path(path, &modules[first]) == 0 ? &modules[first] : NULL;
}
