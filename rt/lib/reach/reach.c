/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding lost blocks, and what one block leads to. */
#include "lib/reach/reach.h"

#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/reach/still.h"

struct search {
    struct blocks blocks;
    struct maps maps;
    const void *from; /* NULL: from the roots */
};

static void reach(void *blocks, struct live_block *block, uintptr_t word, uintptr_t at) {
    (void)word;
    (void)at;
    blocks_reach(blocks, block);
}

static void reach_from_root(void *blocks, struct live_block *block, const struct root *root) {
    (void)root;
    blocks_reach(blocks, block);
}

static void begin(struct search *search, const struct still *still) {
    struct live_block *first = search->from ? blocks_find(&search->blocks, (uintptr_t)search->from) : NULL;
    struct roots roots = still_roots(still);
    roots.maps = &search->maps;
    roots.blocks = roots.context = &search->blocks;
    roots.found = reach_from_root;
    if (first)
        blocks_reach(&search->blocks, first);
    else if (!search->from)
        roots_search(&roots);
}

/* The mappings are read before the blocks are: so memory for these is in none of them, and no root that is
 * taken to reach to the end of its mapping holds a copy of every address. */
static const char *look(struct still *still) {
    struct search *search = still->context;
    const char *reason = maps_read(&search->maps);
    if (!reason)
        reason = blocks_collect(&search->blocks);
    if (reason)
        return reason;
    begin(search, still);
    for (const struct live_block *block; (block = blocks_take(&search->blocks));)
        blocks_search(&search->blocks, &search->maps, (struct span){block->start, block->start + block->size},
                      reach, &search->blocks);
    return NULL;
}

static void tell(const struct blocks *blocks, bool is_reached,
                 void (*found)(void *, const void *, const struct block *), void *context) {
    for (uint32_t i = 0; i < blocks->count; i++) {
        const struct live_block *live = &blocks->all[i];
        const struct block block = {
            .state = BLOCK_LIVE, .family = live->family, .slot = live->slot, .size = live->size};
        if (live->reached == is_reached)
            found(context, (const void *)live->start, &block);
    }
}

/* from: NULL: from the roots, and told of is what they do not lead to; else what this leads to. */
static const char *search(const void *from, void (*found)(void *context, const void *p, const struct block *),
                          void *context) {
    struct still still;
    struct search *search = os_map(sizeof *search, OS_FORK_KEEPS);
    if (!search)
        return "out of memory";
    search->from = from;
    const char *reason = still_look(&still, look, search);
    if (!reason)
        tell(&search->blocks, from, found, context);
    blocks_release(&search->blocks);
    maps_release(&search->maps);
    os_unmap(search, sizeof *search);
    return reason;
}

const char *reach_search(void (*lost)(void *context, const void *p, const struct block *), void *context) {
    return search(NULL, lost, context);
}

const char *reach_find_lost(void (*lost)(void *context, const void *p, const struct block *), void *context) {
    return holes_hide_blocks() ? "not all blocks of the process are known" : reach_search(lost, context);
}

static void add_size(void *sum, const void *p, const struct block *block) {
    (void)p;
    if (block->family != FAMILY_BACKING)
        *(uint64_t *)sum += block->size;
}

const char *reach_deep_size(const void *from, uint64_t *bytes) {
    *bytes = 0;
    return from ? search(from, add_size, bytes) : NULL;
}
