/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the live blocks of a stopped process. */
#include "dump/capture/heap.h"

#include "base/arrays.h"
#include "dump/base/memory.h"

#include <stdlib.h>

/* The heap addresses whose small entries share a page. */
enum { PAGE = 4096, ENTRIES = PAGE / 4 };

struct large_entry {
    uint32_t value, size;
};

static bool read_pointer(struct remote_memory *memory, const void *address, uint64_t *value) {
    return remote_read(memory, (uintptr_t)address, value, sizeof *value);
}

bool heap_open(struct heap *heap, const struct remote_root *root, struct remote_memory *memory,
               struct reason *why) {
    struct root_heap *layout = &heap->layout;
    *heap = (struct heap){.count = 0};
    bool is_read = remote_read(memory, (uintptr_t)root->root.heap, layout, sizeof *layout) &&
                   read_pointer(memory, layout->small, &heap->small) &&
                   read_pointer(memory, layout->large, &heap->large) &&
                   read_pointer(memory, layout->second, &heap->second) &&
                   read_pointer(memory, layout->end, &heap->end) &&
                   read_pointer(memory, layout->even, &heap->even) &&
                   read_pointer(memory, layout->odd, &heap->odd) &&
                   read_pointer(memory, layout->local, (uint64_t *)&heap->local);
    bool is_right = is_read && layout->cell >= 16 && layout->size_bits + layout->slot_bits < 30 &&
                    layout->size_bits > 4 && layout->region_size >= PAGE &&
                    layout->addresses / layout->region_size < 1 << 24;
    if (!is_right)
        return reason_set(why, "has ended, or runs another program now");
    return heap->end || heap->even ||
           reason_set(why, "does not record the owners of blocks (owners=0, or nothing was allocated yet)");
}

void heap_close(struct heap *heap) {
    free(heap->spans);
    free(heap->blocks);
    *heap = (struct heap){.count = 0};
}

static uint64_t large_limit(const struct heap *heap) {
    return UINT64_C(1) << heap->layout.size_bits;
}

static uint64_t small_size(const struct heap *heap, uint64_t addresses) {
    return addresses / heap->layout.cell * sizeof(uint32_t);
}

static uint64_t large_size(const struct heap *heap, uint64_t addresses) {
    return addresses / large_limit(heap) * sizeof(struct large_entry);
}

static uint64_t region_count(const struct heap *heap) {
    return heap->layout.addresses / heap->layout.region_size;
}

/* A region's table has an entry for each 16 bytes, followed by the entries of large blocks. */
static uint64_t region_small_size(const struct heap *heap) {
    return heap->layout.region_size / 16 * sizeof(uint32_t);
}

static uint64_t region_table_size(const struct heap *heap) {
    return region_small_size(heap) + large_size(heap, heap->layout.region_size);
}

static bool heap_overlaps(uint64_t begin, uint64_t end, uint64_t from, uint64_t size) {
    return from && begin < from + size && end > from;
}

bool heap_is_table(const struct heap *heap, uint64_t begin, uint64_t end) {
    return heap->end && (heap_overlaps(begin, end, heap->small, small_size(heap, heap->end)) ||
                         heap_overlaps(begin, end, heap->large, large_size(heap, heap->end)) ||
                         heap_overlaps(begin, end, heap->second, small_size(heap, heap->end)));
}

/* ---- The parts of the tables that are needed. */

static void want_regions(const struct heap *heap, struct image *image, struct remote_memory *memory,
                         uint64_t array) {
    uint64_t count = region_count(heap), region, part[PAGE / sizeof(uint64_t)];
    if (!array || !image_want(image, array, array + count * sizeof region))
        return;
    for (uint64_t i = 0; i < count; i += PAGE / sizeof region) {
        if (!remote_read(memory, array + i * sizeof region, part, sizeof part))
            return;
        for (size_t k = 0; k < PAGE / sizeof region; k++)
            if (part[k])
                image_want(image, part[k], part[k] + region_table_size(heap));
    }
}

void heap_want_regions(const struct heap *heap, struct image *image, struct remote_memory *memory) {
    want_regions(heap, image, memory, heap->even);
    want_regions(heap, image, memory, heap->odd);
}

static uint64_t want_entries(const struct heap *heap, struct image *image, uint64_t begin, uint64_t end) {
    uint64_t cell = heap->layout.cell;
    uint64_t size = image_want(image, heap->small + begin / cell * 4, heap->small + (end / cell + 1) * 4);
    size += image_want(image, heap->large + large_size(heap, begin), heap->large + large_size(heap, end) + 8);
    if (heap->second)
        size += image_want(image, heap->second + begin / cell * 4, heap->second + (end / cell + 1) * 4);
    return size;
}

bool heap_want(struct heap *heap, struct image *image, uint64_t begin, uint64_t end) {
    bool may_have = heap->even || heap->odd;
    if (heap->end && end <= heap->end)
        may_have |= want_entries(heap, image, begin, end) != 0;
    if (!may_have)
        return false;
    memory_grow(&heap->spans, heap->span_count, &heap->span_capacity, sizeof *heap->spans);
    heap->spans[heap->span_count++] = (struct heap_span){begin, end};
    return true;
}

/* ---- Decoding entries. */

/* The function that is called for entries. */
struct visitor {
    const struct heap *heap;
    const struct image *image;
    void (*visit)(void *context, uint64_t start, uint32_t value, uint64_t size);
    void *context;
};

static void see_small(const struct visitor *visitor, uint64_t start, uint32_t entry) {
    uint32_t value = entry >> 1;
    if (value)
        visitor->visit(visitor->context, start, value, value & (large_limit(visitor->heap) - 1));
}

static uint64_t size_of(const struct image *image, uint64_t at, const struct large_entry *entry) {
    struct large_entry size[2];
    if (!(entry->value >> 31) || !image_read(image, at + sizeof *entry, size, sizeof size))
        return entry->size;
    return (uint64_t)size[0].size << 32 | size[1].size;
}

/* at: address of the entry in the process. */
static void see_large(const struct visitor *visitor, uint64_t cell, uint64_t at,
                      const struct large_entry *entry) {
    uint32_t value = entry->value & ~(1u << 31);
    if (value)
        visitor->visit(visitor->context, cell + value % large_limit(visitor->heap), value,
                       size_of(visitor->image, at, entry));
}

/* Visits the small entries at addresses from `table` to `end`, which describe the heap from `start` on. each:
 * bytes of heap per entry. An entry with the lowest bit set is in the upper 16 bytes. */
static void read_small(const struct visitor *visitor, uint64_t table, uint64_t end, uint64_t start,
                       uint64_t each, uint64_t shift) {
    const struct image *image = visitor->image;
    for (size_t i = image_first_from(image, table); i < image->count && image->runs[i].address < end; i++) {
        const struct image_run *run = &image->runs[i];
        uint64_t begin = run->address > table ? run->address : table;
        uint64_t stop = run->address + run->size < end ? run->address + run->size : end;
        const uint32_t *entries = (const uint32_t *)(run->bytes + (begin - run->address));
        for (uint64_t k = 0; k < (stop - begin) / 4; k++)
            if (entries[k])
                see_small(visitor,
                          start + ((begin - table) / 4 + k) * each + (each > 16 ? entries[k] % 2 * 16 : 0) +
                              shift,
                          entries[k]);
    }
}

static void read_large(const struct visitor *visitor, uint64_t table, uint64_t end, uint64_t start,
                       uint64_t shift) {
    const uint64_t size = sizeof(struct large_entry);
    const struct image *image = visitor->image;
    for (size_t i = image_first_from(image, table); i < image->count && image->runs[i].address < end; i++) {
        const struct image_run *run = &image->runs[i];
        uint64_t begin = run->address > table ? run->address : table;
        uint64_t stop = run->address + run->size < end ? run->address + run->size : end;
        const struct large_entry *entries = (const struct large_entry *)(run->bytes + (begin - run->address));
        for (uint64_t k = 0; k < (stop - begin) / size; k++)
            if (entries[k].value)
                see_large(visitor, start + ((begin - table) / size + k) * large_limit(visitor->heap) + shift,
                          begin + k * size, &entries[k]);
    }
}

/* Covers whole pages of entries, which may be shared with neighbouring mappings. */
static void read_span(const struct visitor *visitor, uint64_t begin, uint64_t end) {
    const struct heap *heap = visitor->heap;
    uint64_t cell = heap->layout.cell, first = begin / cell, last = end / cell;
    uint64_t large = large_limit(heap);
    if (end > heap->end)
        return;
    read_small(visitor, heap->small + first * 4, heap->small + last * 4, first * cell, cell, 0);
    read_large(visitor, heap->large + begin / large * 8, heap->large + end / large * 8, begin / large * large,
               0);
    if (heap->second)
        read_small(visitor, heap->second + first * 4, heap->second + last * 4, first * cell, cell, 0);
}

static void read_regions(const struct visitor *visitor, uint64_t array, uint64_t shift) {
    const struct heap *heap = visitor->heap;
    uint64_t region;
    for (uint64_t i = 0; array && i < region_count(heap); i++) {
        if (!image_read(visitor->image, array + i * sizeof region, &region, sizeof region) || !region)
            continue;
        uint64_t start = i * heap->layout.region_size, large = region + region_small_size(heap);
        read_small(visitor, region, large, start, 16, shift);
        read_large(visitor, large, region + region_table_size(heap), start, shift);
    }
}

/* A chunk sorts before a block that a custom allocator places at its very start. */
static int compare_blocks(const void *a, const void *b) {
    const struct heap_block *left = a, *right = b;
    return compare_u64(left->start, right->start) ?: compare_u64(right->size, left->size);
}

static bool is_live(const struct heap *heap, uint32_t value) {
    const uint32_t freed = 1u << 30, family_at = heap->layout.size_bits + heap->layout.slot_bits;
    return value - 1 < freed - 1 || value >> family_at == (freed >> family_at | heap->layout.chunk);
}

static void add_block(void *context, uint64_t start, uint32_t value, uint64_t size) {
    struct heap *heap = context;
    uint32_t slot = value >> heap->layout.size_bits & ((1u << heap->layout.slot_bits) - 1);
    if (!is_live(heap, value))
        return;
    memory_grow(&heap->blocks, heap->count, &heap->capacity, sizeof *heap->blocks);
    heap->blocks[heap->count++] = (struct heap_block){start, size, slot, value >> 30};
}

void heap_read(struct heap *heap, const struct image *image) {
    const struct visitor visitor = {heap, image, add_block, heap};
    for (size_t i = 0; i < heap->span_count; i++)
        read_span(&visitor, heap->spans[i].begin, heap->spans[i].end);
    read_regions(&visitor, heap->even, 0);
    read_regions(&visitor, heap->odd, 8);
    sort_list(heap->blocks, heap->count, sizeof *heap->blocks, compare_blocks);
}

struct visiting {
    void (*visit)(void *context, uint64_t start, uint64_t size);
    void *context;
};

static void visit_any(void *context, uint64_t start, uint32_t value, uint64_t size) {
    const struct visiting *visiting = context;
    (void)value;
    visiting->visit(visiting->context, start, size);
}

void heap_visit_all(const struct heap *heap, const struct image *image, uint64_t begin, uint64_t end,
                    void (*visit)(void *context, uint64_t start, uint64_t size), void *context) {
    struct visiting visiting = {visit, context};
    read_span(&(struct visitor){heap, image, visit_any, &visiting}, begin, end);
}

/* ---- The block that a word points to. */

/* Blocks that start at most APART bytes after the previous one form a group. A look-up goes through the cell
 * of the address, which leads to a few blocks. A binary search over all n blocks would touch log2(n) places
 * in memory. */
enum { CELL_BITS = 9, APART = 1 << 16 };

static void add_group(struct finder *finder, size_t block) {
    memory_grow(&finder->groups, finder->group_count, &finder->group_capacity, sizeof *finder->groups);
    finder->groups[finder->group_count++] = (struct finder_group){
        block < finder->count ? finder->blocks[block].start : UINT64_MAX, block, finder->cell_count};
}

/* Appends cells up to the one in which the block starts. */
static void add_cells(struct finder *finder, size_t block) {
    const struct finder_group *group = &finder->groups[finder->group_count - 1];
    size_t end = group->cell + ((finder->blocks[block].start - group->begin) >> CELL_BITS) + 1;
    while (finder->cell_count < end) {
        memory_grow(&finder->cells, finder->cell_count, &finder->cell_capacity, sizeof *finder->cells);
        finder->cells[finder->cell_count++] = (uint32_t)block;
    }
}

void finder_open(struct finder *finder, const struct heap *heap, const struct image *image) {
    *finder = (struct finder){.image = image, .blocks = heap->blocks, .count = heap->count};
    for (size_t i = 0; i < heap->count; i++) {
        if (!i || heap->blocks[i].start - heap->blocks[i - 1].start > APART)
            add_group(finder, i);
        add_cells(finder, i);
    }
    add_group(finder, heap->count);
    if (!heap->count)
        return;
    const struct heap_block *last = &heap->blocks[heap->count - 1];
    finder->lowest = heap->blocks[0].start;
    finder->extent = last->start + last->size - finder->lowest;
}

void finder_close(struct finder *finder) {
    free(finder->groups);
    free(finder->cells);
}

/* Binary search: the number of blocks that start at or before the address, known to be between low and
 * high. */
static size_t blocks_begun(const struct finder *finder, size_t low, size_t high, uint64_t address) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (finder->blocks[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t finder_before(const struct finder *finder, uint64_t address) {
    size_t groups = sorted_up_to(finder->groups, finder->group_count - 1, sizeof *finder->groups,
                                 offsetof(struct finder_group, begin), address);
    if (!groups)
        return FINDER_NONE;
    const struct finder_group *group = &finder->groups[groups - 1], *next = group + 1;
    uint64_t cell = (address - group->begin) >> CELL_BITS, cells = next->cell - group->cell;
    if (cell >= cells)
        return next->block - 1;
    size_t high = cell + 1 < cells ? finder->cells[group->cell + cell + 1] : next->block;
    return blocks_begun(finder, finder->cells[group->cell + cell], high, address) - 1;
}

/* new T[0] of a type with a destructor: the block holds the count 0, and the pointer is just past it. */
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
    if (word - finder->lowest > finder->extent) /* most words are not pointers */
        return FINDER_NONE;
    size_t i = finder_before(finder, word);
    if (i == FINDER_NONE)
        return FINDER_NONE;
    const struct heap_block *block = &finder->blocks[i];
    bool is_inside = word - block->start < block->size
                         ? !heads || !is_next_head(block, word)
                         : word == block->start || is_empty_array(finder, block, word);
    return is_inside ? i : FINDER_NONE;
}
