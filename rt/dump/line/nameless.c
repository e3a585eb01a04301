/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the module without symbols that most call paths go through, so that a report can say how to get its
 * names. */
#include "dump/line/symbolize.h"

#include "base/path.h"
#include "dump/base/memory.h"

#include <stdlib.h>

/* A module on fewer paths is not mentioned: one in so many calls. */
enum { NAMELESS_LEAST = 4 };

/* Returns the module of the innermost frame outside of the C library, if it lacks names; otherwise NULL.
 * Every path ends in the C library, which is stripped on most systems. */
static const struct report_module *nameless_of(const struct symbolizer *symbolizer,
                                               const struct report_stack *stack) {
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct report_module *module = stack->frames[i].module;
        if (module && path_is_c_library(module->path))
            continue;
        return module && symbolizer_lacks_names(symbolizer, module->path, module->build_id) ? module : NULL;
    }
    return NULL;
}

void symbolizer_nameless(struct symbolizer *symbolizer, struct report *report) {
    struct number_map calls = {.count = 0};
    struct report_nameless *nameless = &report->nameless;
    uint64_t all = 0;
    for (size_t i = 0; i < report->stack_count; i++) {
        const struct report_stack *stack = &report->stacks[i];
        const struct report_module *module = nameless_of(symbolizer, stack);
        uint64_t more = counters_calls(&stack->counters);
        all += more;
        if (!module)
            continue;
        uint64_t key = hash_text(0, module->path);
        if (!number_map_add(&calls, key, more))
            *number_map_find(&calls, key) += more;
        uint64_t sum = *number_map_find(&calls, key);
        if (sum > nameless->calls)
            *nameless = (struct report_nameless){.module = module->path, .calls = sum};
    }
    number_map_free(&calls);
    if (nameless->calls < all / NAMELESS_LEAST)
        *nameless = (struct report_nameless){.module = NULL};
    if (!nameless->module)
        return;
    char *package = module_package(nameless->module, &symbolizer->search);
    nameless->package = string_keep(&symbolizer->strings, package);
    free(package);
}
