/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that a report is made of: mappings, each of which knows the one before it. */
#include "collect_memory.h"
#include "collect.h"
#include "table.h"

struct mapping {
    struct mapping *before;
    size_t size;
};

/* A child that was forked meanwhile makes its own report anew. */
struct taken {
    struct mapping *last;
};

static struct table taken_table = {.element = sizeof(struct taken), .first = 1, .fork = OS_FORK_WIPES};

void *collect_take(size_t size) {
    struct taken *taken = table_at(&taken_table, 0);
    struct mapping *mapping = taken ? os_map(size + sizeof *mapping, OS_FORK_KEEPS) : NULL;
    if (!mapping)
        return NULL;
    *mapping = (struct mapping){taken->last, size + sizeof *mapping};
    taken->last = mapping;
    return mapping + 1;
}

void collect_done(void) {
    struct taken *taken = table_peek(&taken_table, 0);
    while (taken && taken->last) {
        struct mapping *last = taken->last;
        taken->last = last->before;
        os_unmap(last, last->size);
    }
}
