/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows words to blocks and keeps the set of reached blocks. */
#include "dump/capture/search.h"

#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

void words_see(const struct words *words, uint64_t word, uint64_t at) {
    size_t block = finder_find(words->finder, word, words->heads);
    if (block != FINDER_NONE)
        words->found(words->context, &(struct found){block, word, at});
    else if (words->coroutines)
        coroutines_see(words->coroutines, word);
}

void words_search(const struct words *words, struct span span) {
    const struct image *image = words->finder->image;
    size_t i = image_first_from(image, span.begin);
    for (; i < image->count && image->runs[i].address < span.end; i++) {
        const struct image_run *run = &image->runs[i];
        uint64_t at = run->address > span.begin ? run->address : span.begin;
        uint64_t end = run->address + run->size < span.end ? run->address + run->size : span.end;
        for (at = (at + WORD - 1) & -(uint64_t)WORD; at + WORD <= end; at += WORD) {
            uint64_t word;
            memcpy(&word, run->bytes + (at - run->address), sizeof word);
            words_see(words, word, at);
        }
    }
}

void words_search_between(const struct words *words, struct span span) {
    const struct finder *finder = words->finder;
    size_t i = finder_before(finder, span.begin);
    for (i = i == FINDER_NONE ? 0 : i; i < finder->count && finder->blocks[i].start < span.end; i++) {
        const struct heap_block *block = &finder->blocks[i];
        if (block->start + block->size <= span.begin)
            continue;
        words_search(words, (struct span){span.begin, block->start});
        span.begin = block->start + block->size;
    }
    words_search(words, span);
}

/* ---- Which blocks are reached. */

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

static void reach_from_word(void *reaching, const struct found *found) {
    reaching_reach(reaching, found->block);
}

static void reach_from_root(void *reaching, const struct root_found *found) {
    reaching_reach(reaching, found->block);
}

void reaching_go_on(struct reaching *reaching) {
    const struct finder *finder = reaching->roots.finder;
    const struct words words = {.finder = finder,
                                .coroutines = reaching->roots.coroutines,
                                .found = reach_from_word,
                                .context = reaching};
    while (reaching->pending_count) {
        const struct heap_block *block = &finder->blocks[reaching->pending[--reaching->pending_count]];
        words_search(&words, (struct span){block->start, block->start + block->size});
    }
}

/* Blocks may point to stacks of coroutines, and these to blocks: repeats until nothing new is found. */
void reaching_from_roots(struct reaching *reaching) {
    reaching->roots.found = reach_from_root;
    reaching->roots.context = reaching;
    capture_roots_find(&reaching->roots);
    do
        reaching_go_on(reaching);
    while (capture_roots_find_coroutines(&reaching->roots));
}
