/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of a report's modules. */
#include "dump/base/modules.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

static int compare(const void *a, const void *b) {
    const struct report_module *left = a, *right = b;
    int order = compare_texts(left->path, right->path);
    return order ? order : compare_texts(left->build_id, right->build_id);
}

void modules_sort(struct report_module *modules, size_t count) {
    if (count)
        qsort(modules, count, sizeof *modules, compare);
}

const struct report_module *modules_find(const struct report_module *modules, size_t count,
                                         const char *path) {
    size_t first = 0, left = count;
    while (left) {
        size_t half = left / 2;
        bool is_below = compare_texts(modules[first + half].path, path) < 0;
        first += is_below ? half + 1 : 0;
        left = is_below ? left - half - 1 : half;
    }
    return first < count && compare_texts(modules[first].path, path) == 0 ? &modules[first] : NULL;
}
