/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The edges of the graph. */
#include "dump/capture/edges.h"

#include "base/sort.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

/* ---- What the blocks of a site are made of. */

static bool is_pointer_type(const struct module_type *type) {
    return type->layout.state == TYPE_KNOWN && type->layout.size == WORD && !type->fields;
}

static int by_place(const void *a, const void *b) {
    const struct type_field *left = a, *right = b;
    return compare_u64(left->offset, right->offset) ?: compare_u64(left->name, right->name);
}

/* Of several alternatives of a union at one place the first one counts. */
static void take_fields(struct block_type *to, const struct module_type *type) {
    const struct type_field *from = type->fields->list + type->layout.first_field;
    to->fields = memory_zeros(type->layout.field_count, sizeof *to->fields);
    memcpy(to->fields, from, type->layout.field_count * sizeof *from);
    qsort(to->fields, type->layout.field_count, sizeof *to->fields, by_place);
    for (size_t i = 0; i < type->layout.field_count; i++) {
        const struct type_field *field = &to->fields[i];
        bool is_first = !to->field_count || to->fields[to->field_count - 1].offset != field->offset;
        if (is_first && (field->every || field->offset + WORD <= to->size))
            to->fields[to->field_count++] = *field;
    }
}

static void cover(struct block_type *to) {
    to->covered = memory_zeros(to->size / WORD / 64 + 1, sizeof *to->covered);
    for (size_t i = 0; i < to->field_count; i++) {
        uint64_t word = to->fields[i].offset / WORD;
        if (to->fields[i].offset % WORD == 0 && to->fields[i].offset < to->size)
            to->covered[word / 64] |= UINT64_C(1) << word % 64;
    }
}

void block_type_set(struct block_type *to, const struct module_type *type, struct string_pool *texts) {
    *to = (struct block_type){.size = 0};
    if (!type || type->layout.state == TYPE_UNKNOWN || type->layout.state == TYPE_DIFFERS ||
        type->layout.size > UINT32_MAX)
        return;
    to->is_pointers = is_pointer_type(type);
    to->size = type->layout.size;
    to->is_flexible = type->layout.is_flexible;
    if (!type->fields)
        return;
    take_fields(to, type);
    cover(to);
    to->labels = memory_zeros(to->field_count, sizeof *to->labels);
    for (size_t i = 0; i < to->field_count; i++)
        to->labels[i] = (uint32_t)string_number(texts, type->fields->text + to->fields[i].name);
}

void block_type_free(struct block_type *type) {
    free(type->fields);
    free(type->labels);
    free(type->covered);
}

/* ---- A block's words. */

struct scan {
    struct graph *graph;
    const struct finder *finder;
    const struct block_type *type;
    uint32_t pointers;
    uint64_t start, size; /* of the block */
    size_t first_edge;    /* of it */
};

static void add_edge(struct scan *scan, size_t to, uint64_t word, uint64_t offset, uint32_t label,
                     uint32_t flags) {
    struct graph *graph = scan->graph;
    bool is_interior = word != scan->finder->blocks[to].start;
    memory_grow(&graph->edges, graph->edge_count, &graph->edge_room, sizeof *graph->edges);
    graph->edges[graph->edge_count++] =
        (struct graph_edge){(uint32_t)to, label, offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX,
                            flags | (is_interior ? GRAPH_INTERIOR : 0)};
    graph->words.interior += is_interior;
}

/* A pointer that leads to no block: to the end of one, or to where one may have been. */
static void see_astray(struct scan *scan, uint64_t word) {
    const struct finder *finder = scan->finder;
    size_t before = word ? finder_before(finder, word - 1) : FINDER_NONE;
    if (before != FINDER_NONE && finder->blocks[before].start + finder->blocks[before].size == word)
        scan->graph->words.past_end++;
    else if (word - finder->lowest < finder->extent)
        scan->graph->words.stale++;
}

static void see_field(struct scan *scan, uint64_t offset, uint32_t label, bool is_in_union) {
    uint64_t word;
    if (offset + WORD > scan->size || !image_read(scan->finder->image, scan->start + offset, &word, WORD))
        return;
    size_t to = finder_find(scan->finder, word, false);
    if (to == FINDER_NONE) {
        see_astray(scan, word);
        return;
    }
    scan->graph->words.named++;
    scan->graph->words.in_union += is_in_union;
    add_edge(scan, to, word, offset, label, is_in_union ? GRAPH_UNION : 0);
}

/* new T[n] of a type with a destructor has the count before the elements. */
static uint64_t first_element(const struct scan *scan) {
    uint64_t size = scan->type->size;
    return size > WORD && scan->size > size && scan->size % size == WORD && !scan->type->is_flexible ? WORD
                                                                                                     : 0;
}

static void see_fields_at(struct scan *scan, uint64_t element, uint64_t end) {
    const struct block_type *type = scan->type;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct type_field *field = &type->fields[i];
        uint64_t offset = element + field->offset;
        see_field(scan, offset, type->labels[i], field->is_in_union);
        for (uint64_t more = field->every; more && offset + more + WORD <= end; more += field->every)
            see_field(scan, offset + more, type->labels[i], field->is_in_union);
    }
}

static bool is_field(const struct scan *scan, uint64_t element) {
    uint64_t word = element / WORD;
    return scan->type->covered[word / 64] >> word % 64 & 1;
}

/* Whether the words have been looked at as fields. */
static bool is_covered(const struct scan *scan, uint64_t offset) {
    const struct block_type *type = scan->type;
    if (type->is_pointers)
        return true;
    if (!type->covered || offset < first_element(scan))
        return false;
    offset -= first_element(scan);
    if (type->is_flexible)
        return offset < type->size ? is_field(scan, offset)
                                   : type->field_count && type->fields[type->field_count - 1].every;
    return is_field(scan, offset % type->size);
}

static void see_fields(struct scan *scan) {
    const struct block_type *type = scan->type;
    if (type->is_pointers)
        for (uint64_t offset = 0; offset + WORD <= scan->size; offset += WORD)
            see_field(scan, offset, scan->pointers, false);
    if (!type->field_count)
        return;
    uint64_t first = first_element(scan), step = type->is_flexible ? scan->size + 1 : type->size;
    for (uint64_t element = first; element < scan->size; element += step)
        see_fields_at(scan, element, scan->size);
}

static void see_word(struct scan *scan, uint64_t word, uint64_t offset) {
    size_t to = finder_find(scan->finder, word, false);
    if (to == FINDER_NONE || is_covered(scan, offset))
        return;
    scan->graph->words.unnamed++;
    add_edge(scan, to, word, offset, GRAPH_NONE, 0);
}

static void see_words(struct scan *scan) {
    uint64_t offset = -scan->start & (WORD - 1);
    while (offset + WORD <= scan->size) {
        uint64_t left = scan->size - offset;
        const char *bytes = image_at(scan->finder->image, scan->start + offset, &left);
        if (!bytes) {
            offset = ((scan->start + offset + 4096) & -UINT64_C(4096)) - scan->start;
            continue;
        }
        for (uint64_t end = offset + left; offset + WORD <= end; offset += WORD, bytes += WORD) {
            uint64_t word;
            memcpy(&word, bytes, WORD);
            see_word(scan, word, offset);
        }
    }
}

static int by_offset(const void *a, const void *b) {
    const struct graph_edge *left = a, *right = b;
    return compare_u64(left->offset, right->offset) ?: compare_u64(left->to, right->to);
}

static void see_block(struct scan *scan, size_t block) {
    const struct graph_block *of = &scan->graph->blocks[block];
    scan->start = of->address;
    scan->size = of->size;
    scan->first_edge = scan->graph->edge_count;
    see_fields(scan);
    see_words(scan);
    size_t count = scan->graph->edge_count - scan->first_edge;
    if (count > 1)
        qsort(scan->graph->edges + scan->first_edge, count, sizeof *scan->graph->edges, by_offset);
}

void capture_edges(struct graph *graph, const struct finder *finder, const struct block_type *types,
                   uint32_t pointers) {
    struct scan scan = {.graph = graph, .finder = finder, .pointers = pointers};
    for (size_t i = 0; i < graph->block_count; i++) {
        graph->blocks[i].edges = (uint32_t)graph->edge_count;
        scan.type = &types[graph->blocks[i].site];
        see_block(&scan, i);
    }
    graph->blocks[graph->block_count].edges = (uint32_t)graph->edge_count;
}
