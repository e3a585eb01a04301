/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which block a word points to. */
#include "dump/capture/finder.h"

#include "base/sort.h"
#include "dump/base/memory.h"

#include <stdlib.h>

enum { STEP = 16 };

void finder_open(struct finder *finder, const struct heap *heap, const struct image *image) {
    *finder = (struct finder){.image = image, .blocks = heap->blocks, .count = heap->count};
    finder->samples = memory_zeros(heap->count / STEP + 1, sizeof *finder->samples);
    for (size_t i = 0; i < heap->count; i += STEP)
        finder->samples[finder->sample_count++] = heap->blocks[i].start;
    if (!heap->count)
        return;
    const struct heap_block *last = &heap->blocks[heap->count - 1];
    finder->lowest = heap->blocks[0].start;
    finder->extent = last->start + last->size - finder->lowest;
}

void finder_close(struct finder *finder) {
    free(finder->samples);
}

size_t finder_before(const struct finder *finder, uint64_t address) {
    size_t sample = sorted_up_to(finder->samples, finder->sample_count, sizeof *finder->samples, 0, address);
    if (!sample)
        return FINDER_NONE;
    size_t first = (sample - 1) * STEP, rest = finder->count - first;
    const struct heap_block *from = &finder->blocks[first];
    return first + sorted_up_to(from, rest < STEP ? rest : STEP, sizeof *from, 0, address) - 1;
}

/* new T[0] of a type with a destructor: a count of 0, and the pointer is the one behind it. */
static bool is_empty_array(const struct finder *finder, const struct heap_block *block, uint64_t word) {
    uint64_t elements;
    return block->size == sizeof elements && word == block->start + sizeof elements &&
           image_read(finder->image, block->start, &elements, sizeof elements) && !elements;
}

static bool is_next_head(const struct heap_block *block, uint64_t word) {
    uint64_t whole = (block->size + 8 + 15) & ~UINT64_C(15);
    return word != block->start && word - block->start == (whole < 32 ? 32 : whole) - 16;
}

size_t finder_find(const struct finder *finder, uint64_t word, bool heads) {
    if (word - finder->lowest > finder->extent) /* most words are no pointers */
        return FINDER_NONE;
    size_t i = finder_before(finder, word);
    if (i == FINDER_NONE)
        return FINDER_NONE;
    const struct heap_block *block = &finder->blocks[i];
    bool is_it = word - block->start < block->size
                     ? !heads || !is_next_head(block, word)
                     : word == block->start || is_empty_array(finder, block, word);
    return is_it ? i : FINDER_NONE;
}
