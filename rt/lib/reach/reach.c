/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which blocks something points to. */
#include "lib/reach/still.h"

#include "base/arrays.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/count/threads.h"

/* ---- The live blocks, by address. */

#define SAMPLE_STEP 16

static void visit_count(void *context, const void *p, const struct block *block) {
    (void)p;
    (void)block;
    ++*(uint64_t *)context;
}

static void visit_add(void *context, const void *p, const struct block *block) {
    struct blocks *blocks = context;
    blocks->all[blocks->count++] = (struct live_block){
        .start = (uintptr_t)p, .size = block->size, .slot = block->slot, .family = block->family};
}

/* Blocks that a custom allocator hands out at the very start of its chunk come behind that. */
static int compare(const void *left, const void *right) {
    const struct live_block *a = left, *b = right;
    return compare_u64(a->start, b->start) ?: compare_u64(b->size, a->size);
}

/* The shadow table comes in order but for the blocks that only other allocators make. */
static bool is_sorted(const struct blocks *blocks) {
    for (uint32_t i = 1; i < blocks->count; i++)
        if (compare(&blocks->all[i - 1], &blocks->all[i]) > 0)
            return false;
    return true;
}

static void take_samples(struct blocks *blocks) {
    for (uint32_t i = 0; i < blocks->count; i += SAMPLE_STEP)
        blocks->samples[blocks->sample_count++] = blocks->all[i].start;
}

static void set_bounds(struct blocks *blocks) {
    if (!blocks->count)
        return;
    const struct live_block *last = &blocks->all[blocks->count - 1];
    blocks->lowest = blocks->all[0].start;
    blocks->extent = last->start + last->size - blocks->lowest;
}

static bool blocks_map(struct blocks *blocks, uint64_t count) {
    size_t blocks_size = count * sizeof *blocks->all;
    size_t samples_size = (count / SAMPLE_STEP + 1) * sizeof *blocks->samples;
    char *memory = count < UINT32_MAX ? os_map(blocks_size + samples_size, OS_FORK_KEEPS) : NULL;
    if (!memory)
        return false;
    *blocks = (struct blocks){.all = (struct live_block *)memory,
                              .samples = (uintptr_t *)(memory + blocks_size),
                              .mapped = blocks_size + samples_size};
    return true;
}

const char *blocks_collect(struct blocks *blocks) {
    uint64_t count = 0;
    const char *reason = shadow_walk(visit_count, &count, slab_overlaps);
    if (reason)
        return reason;
    if (!blocks_map(blocks, count))
        return "out of memory";
    reason = shadow_walk(visit_add, blocks, slab_overlaps);
    if (!is_sorted(blocks))
        sort_array(blocks->all, blocks->count, sizeof *blocks->all, compare);
    take_samples(blocks);
    set_bounds(blocks);
    return reason;
}

static void blocks_release(struct blocks *blocks) {
    if (blocks->all)
        os_unmap(blocks->all, blocks->mapped);
}

/* The searches halve without a branch: half of these would be guessed wrong, which costs more than the steps.
 */
static uint32_t samples_up_to(const struct blocks *blocks, uintptr_t address) {
    const uintptr_t *at = blocks->samples;
    uint32_t left = blocks->sample_count;
    while (left > 1) {
        uint32_t half = left / 2;
        at += at[half - 1] <= address ? half : 0;
        left -= half;
    }
    return (uint32_t)(at - blocks->samples) + (left && *at <= address);
}

/* Number of blocks that start at address or before. */
static uint32_t starts_up_to(const struct blocks *blocks, uintptr_t address) {
    uint32_t sample = samples_up_to(blocks, address);
    if (!sample)
        return 0;
    const struct live_block *at = &blocks->all[(sample - 1) * SAMPLE_STEP];
    uint32_t rest = (uint32_t)(blocks->all + blocks->count - at);
    for (uint32_t left = rest < SAMPLE_STEP ? rest : SAMPLE_STEP; left > 1;) {
        uint32_t half = left / 2;
        at += at[half].start <= address ? half : 0;
        left -= half;
    }
    return (uint32_t)(at - blocks->all) + 1;
}

/* new T[0] of a type with a destructor: a count of 0, and the pointer is the one behind it. */
static bool is_empty_array(const struct live_block *block, uintptr_t pointer) {
    return block->size == sizeof(size_t) && pointer == block->start + sizeof(size_t) &&
           *(const size_t *)block->start == 0;
}

/* glibc points to a free block by its head, 16 bytes before it, and the last 8 bytes of the block in front
 * lie in that. */
static bool is_next_head(const struct live_block *block, uintptr_t pointer) {
    uint64_t whole = (block->size + 8 + 15) & ~(uint64_t)15;
    return pointer != block->start && pointer - block->start == (whole < 32 ? 32 : whole) - 16;
}

static bool is_reached(const struct blocks *blocks, const struct live_block *block, uintptr_t pointer) {
    if (pointer - block->start >= block->size)
        return pointer == block->start || is_empty_array(block, pointer);
    return !blocks->heads || !is_next_head(block, pointer);
}

struct live_block *blocks_find(const struct blocks *blocks, uintptr_t pointer) {
    if (pointer - blocks->lowest > blocks->extent) /* most words are no pointers */
        return NULL;
    uint32_t index = starts_up_to(blocks, pointer);
    struct live_block *block = index ? &blocks->all[index - 1] : NULL;
    return block && is_reached(blocks, block, pointer) ? block : NULL;
}

uint32_t blocks_behind(const struct blocks *blocks, uintptr_t address) {
    uint32_t index = starts_up_to(blocks, address);
    return index && address - blocks->all[index - 1].start < blocks->all[index - 1].size ? index - 1 : index;
}

typedef uintptr_t __attribute__((may_alias)) aligned_word;

void blocks_search(struct blocks *blocks, const struct maps *maps, struct span span, blocks_found *found,
                   void *context) {
    const struct span *readable = maps_behind(maps, span.begin), *last = maps->spans + maps->count;
    const size_t size = sizeof(aligned_word);
    for (; readable && readable < last && readable->begin < span.end; readable++) {
        uintptr_t at = readable->begin > span.begin ? readable->begin : span.begin;
        uintptr_t end = readable->end < span.end ? readable->end : span.end;
        for (at = (at + size - 1) & -size; at + size <= end; at += size) {
            uintptr_t word = *(const aligned_word *)at;
            struct live_block *block = blocks_find(blocks, word);
            if (block)
                found(context, block, word, at);
            else if (blocks->coroutines && word - maps->spans->begin < maps->extent)
                coroutines_see(blocks, maps, word);
        }
    }
}

void blocks_search_between(struct blocks *blocks, const struct maps *maps, struct span span,
                           blocks_found *found, void *context) {
    uint32_t i = blocks_behind(blocks, span.begin);
    for (; i < blocks->count && blocks->all[i].start < span.end; i++) {
        blocks_search(blocks, maps, (struct span){span.begin, blocks->all[i].start}, found, context);
        span.begin = blocks->all[i].start + blocks->all[i].size;
    }
    blocks_search(blocks, maps, span, found, context);
}

void blocks_reach(struct blocks *blocks, struct live_block *block) {
    if (block->reached)
        return;
    block->reached = 1;
    block->possibly = blocks->possibly;
    block->next = blocks->pending;
    blocks->pending = (uint32_t)(block - blocks->all) + 1;
}

/* Takes a block that was reached and not looked into; NULL: none is left. */
static const struct live_block *blocks_take(struct blocks *blocks) {
    if (!blocks->pending)
        return NULL;
    const struct live_block *block = &blocks->all[blocks->pending - 1];
    blocks->pending = block->next;
    return block;
}

/* ---- Finding lost blocks, and what one block leads to. */

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

static void reach_from_root(void *blocks, struct live_block *block, const struct reach_root *root) {
    (void)root;
    blocks_reach(blocks, block);
}

static void search_reached(struct search *search) {
    for (const struct live_block *block; (block = blocks_take(&search->blocks));)
        blocks_search(&search->blocks, &search->maps, (struct span){block->start, block->start + block->size},
                      reach, &search->blocks);
}

static void search_from(struct search *search) {
    struct live_block *first = blocks_find(&search->blocks, (uintptr_t)search->from);
    if (first)
        blocks_reach(&search->blocks, first);
    search_reached(search);
}

/* Blocks lead to stacks of coroutines, and these to blocks. False: no memory. */
static bool search_from_roots(struct search *search, const struct still *still) {
    struct roots roots = still_roots(still);
    roots.maps = &search->maps;
    roots.blocks = roots.context = &search->blocks;
    roots.found = reach_from_root;
    roots_search(&roots);
    do
        search_reached(search);
    while (roots_search_coroutines(&roots));
    search->blocks.possibly = true;
    bool is_searched = mapped_search(&roots);
    search_reached(search);
    return is_searched;
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
    if (search->from)
        search_from(search);
    else if (!coroutines_begin(&search->blocks, still) || !search_from_roots(search, still))
        return "out of memory";
    return NULL;
}

static void tell(const struct blocks *blocks, bool is_reached, reach_found *found, void *context) {
    for (uint32_t i = 0; i < blocks->count; i++) {
        const struct live_block *live = &blocks->all[i];
        const struct block block = {
            .state = BLOCK_LIVE, .family = live->family, .slot = live->slot, .size = live->size};
        if (live->reached == is_reached || live->possibly)
            found(context, (const void *)live->start, &block, live->possibly);
    }
}

/* from: NULL: from the roots, and told of is what they do not lead to; else what this leads to. */
static const char *search(const void *from, reach_found *found, void *context) {
    struct still still;
    struct search *search = os_map(sizeof *search, OS_FORK_KEEPS);
    if (!search)
        return "out of memory";
    search->from = from;
    const char *reason = still_look(&still, look, search);
    if (!reason)
        tell(&search->blocks, from, found, context);
    coroutines_release(&search->blocks);
    blocks_release(&search->blocks);
    maps_release(&search->maps);
    os_unmap(search, sizeof *search);
    return reason;
}

const char *reach_search(reach_found *lost, void *context) {
    return search(NULL, lost, context);
}

const char *reach_find_lost(reach_found *lost, void *context) {
    return holes_hide_blocks() ? "not all blocks of the process are known" : reach_search(lost, context);
}

static void add_size(void *sum, const void *p, const struct block *block, bool possibly) {
    (void)p, (void)possibly;
    if (block->family != FAMILY_BACKING)
        *(uint64_t *)sum += block->size;
}

const char *reach_deep_size(const void *from, uint64_t *bytes) {
    *bytes = 0;
    return from ? search(from, add_size, bytes) : NULL;
}
