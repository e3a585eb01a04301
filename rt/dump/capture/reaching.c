/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which blocks are reached. */
#include "dump/capture/search.h"

#include "dump/base/memory.h"

#include <stdlib.h>

void reaching_open(struct reaching *reaching, const struct capture_roots *roots) {
    *reaching = (struct reaching){.roots = *roots, .now = REACHED};
    reaching->reached = memory_zeros(roots->finder->count, 1);
    reaching->pending = memory_zeros(roots->finder->count, sizeof *reaching->pending);
}

void reaching_close(struct reaching *reaching) {
    free(reaching->reached);
    free(reaching->pending);
}

void reaching_reach(struct reaching *reaching, size_t block) {
    if (reaching->reached[block])
        return;
    reaching->reached[block] = (unsigned char)reaching->now;
    reaching->pending[reaching->pending_count++] = (uint32_t)block;
}

static void reach(void *reaching, const struct found *found) {
    reaching_reach(reaching, found->block);
}

static void reach_from_root(void *reaching, const struct root_found *found) {
    reaching_reach(reaching, found->block);
}

void reaching_go_on(struct reaching *reaching) {
    const struct finder *finder = reaching->roots.finder;
    const struct words words = {
        .finder = finder, .coroutines = reaching->roots.coroutines, .found = reach, .context = reaching};
    while (reaching->pending_count) {
        const struct heap_block *block = &finder->blocks[reaching->pending[--reaching->pending_count]];
        words_search(&words, (struct span){block->start, block->start + block->size});
    }
}

/* Blocks lead to stacks of coroutines, and these to blocks. */
void reaching_from_roots(struct reaching *reaching) {
    reaching->roots.found = reach_from_root;
    reaching->roots.context = reaching;
    capture_roots_find(&reaching->roots);
    do
        reaching_go_on(reaching);
    while (capture_roots_find_coroutines(&reaching->roots));
}
