/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the edges of the graph. */
#include "dump/capture/search.h"
#include "dump/capture/sites.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

/* ---- The elements of a site's blocks. */

static bool is_pointer_type(const struct module_type *type) {
    return type->layout.state == TYPE_KNOWN && type->layout.size == WORD && !type->fields;
}

static int by_place(const void *a, const void *b) {
    const struct type_field *left = a, *right = b;
    return compare_u64(left->offset, right->offset)
               ?: left->is_text - right->is_text ?: compare_u64(left->name, right->name);
}

/* If a union has several members at one offset, the first pointer counts. */
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

/* All elements are aligned if the first two are. */
static bool are_aligned(const struct block_type *type) {
    bool is_aligned = type->is_flexible || type->size % WORD == 0;
    for (size_t i = 0; i < type->field_count; i++)
        is_aligned &= type->fields[i].offset % WORD == 0 && type->fields[i].every % WORD == 0;
    return is_aligned;
}

static void cover_fields(struct block_type *to) {
    to->covered = memory_zeros(to->size / WORD / 64 + 1, sizeof *to->covered);
    for (size_t i = 0; i < to->field_count; i++) {
        uint64_t word = to->fields[i].offset / WORD;
        if (to->fields[i].offset % WORD == 0 && to->fields[i].offset < to->size)
            to->covered[word / 64] |= UINT64_C(1) << word % 64;
    }
}

void block_type_set(struct block_type *to, const struct module_type *type, struct string_pool *texts) {
    *to = (struct block_type){.is_aligned = true};
    if (type && strcmp(type->type, ALLOCSITE_BYTES) == 0)
        *to = (struct block_type){.is_aligned = true, .size = 1, .is_bytes = true};
    if (!type || type->layout.state == TYPE_UNKNOWN || type->layout.state == TYPE_DIFFERS ||
        type->layout.size > UINT32_MAX)
        return;
    to->is_pointers = is_pointer_type(type);
    to->size = type->layout.size;
    to->is_flexible = type->layout.is_flexible;
    to->is_empty = type->layout.padding == type->layout.size;
    if (to->is_pointers) {
        to->labels = memory_zeros(1, sizeof *to->labels);
        to->labels[0] = (uint32_t)string_number(texts, "[]");
    }
    if (!type->fields)
        return;
    take_fields(to, type);
    cover_fields(to);
    to->is_aligned = are_aligned(to);
    to->labels = memory_zeros(to->field_count, sizeof *to->labels);
    for (size_t i = 0; i < to->field_count; i++)
        to->labels[i] = (uint32_t)string_number(texts, type->fields->text + to->fields[i].name);
}

void block_type_free(struct block_type *type) {
    free(type->fields);
    free(type->labels);
    free(type->covered);
}

/* ---- The field at an offset. */

/* new T[n] of a type with a destructor stores the count before the elements. */
uint64_t block_type_first(const struct block_type *type, uint64_t size) {
    bool has_count =
        type->size > WORD && size > type->size && size % type->size == WORD && !type->is_flexible;
    return has_count ? WORD : 0;
}

/* The fields of a flexible array's first element repeat. */
static const struct type_field *repeated_at(const struct block_type *type, uint64_t offset) {
    for (size_t i = 0; i < type->field_count; i++) {
        const struct type_field *field = &type->fields[i];
        if (field->every && offset >= field->offset && (offset - field->offset) % field->every == 0)
            return field;
    }
    return NULL;
}

static const struct type_field *exactly_at(const struct block_type *type, uint64_t offset) {
    size_t next = sorted_up_to(type->fields, type->field_count, sizeof *type->fields,
                               offsetof(struct type_field, offset), offset);
    const struct type_field *field = next ? &type->fields[next - 1] : NULL;
    return field && field->offset == offset ? field : NULL;
}

/* NULL: no field at the offset. size: of the block. */
static const struct type_field *field_at(const struct block_type *type, uint64_t size, uint64_t offset) {
    uint64_t first = block_type_first(type, size);
    if (!type->field_count || offset < first)
        return NULL;
    offset -= first;
    if (type->is_flexible && offset >= type->size)
        return repeated_at(type, offset);
    offset %= type->size;
    bool may_be = offset % WORD || type->covered[offset / WORD / 64] >> offset / WORD % 64 & 1;
    const struct type_field *field = may_be ? exactly_at(type, offset) : NULL;
    return field || !type->is_flexible ? field : repeated_at(type, offset);
}

bool block_type_has(const struct block_type *type, uint64_t size, uint64_t offset) {
    const struct type_field *field = type->is_pointers ? NULL : field_at(type, size, offset);
    return type->is_pointers ? offset % WORD == 0 : field && !field->is_text;
}

/* True if the word is a field; sets the edge's label and flags. */
static bool name_word(const struct block_type *type, uint64_t size, uint64_t offset,
                      struct graph_edge *edge) {
    const struct type_field *field = type->is_pointers ? NULL : field_at(type, size, offset);
    if (field && !field->is_text) {
        edge->label = type->labels[field - type->fields];
        edge->flags |= field->is_in_union ? GRAPH_UNION : 0;
    } else if (type->is_pointers && offset % WORD == 0)
        edge->label = type->labels[0];
    return edge->label != GRAPH_NONE;
}

/* ---- The words of a block. */

struct scan {
    struct graph *graph;
    const struct finder *finder;
    struct coroutines *coroutines;
    const struct block_type *type;
    uint64_t start, size; /* of the block */
    size_t first_edge;    /* of the block */
    bool is_full;
};

/* True if the type excludes a pointer at the offset. */
static bool is_text_at(const struct block_type *type, uint64_t size, uint64_t offset) {
    const struct type_field *field = field_at(type, size, offset);
    return type->size < WORD || (field && field->is_text);
}

static void count_unnamed(struct graph_words *words, const struct block_type *type, uint64_t size,
                          const struct graph_edge *edge) {
    if (!type->size || type->is_bytes)
        words->untyped++;
    else
        words->in_text += is_text_at(type, size, edge->offset);
}

static void count_edge(struct graph *graph, const struct block_type *type, uint64_t size,
                       const struct graph_edge *edge) {
    struct graph_words *words = &graph->head.words;
    if (edge->label == GRAPH_NONE)
        count_unnamed(words, type, size, edge);
    *(edge->label == GRAPH_NONE ? &words->unnamed : &words->named) += 1;
    words->interior += (edge->flags & GRAPH_INTERIOR) != 0;
    words->in_union += (edge->flags & GRAPH_UNION) != 0;
}

/* Counts a pointer to no block: past the end of one, or to where a block may have been. */
static void see_astray(struct scan *scan, uint64_t word) {
    const struct finder *finder = scan->finder;
    size_t before = word ? finder_before(finder, word - 1) : FINDER_NONE;
    if (before != FINDER_NONE && finder->blocks[before].start + finder->blocks[before].size == word)
        scan->graph->head.words.past_end++;
    else if (word - finder->lowest < finder->extent)
        scan->graph->head.words.stale++;
}

static void see_word(struct scan *scan, uint64_t word, uint64_t offset) {
    const struct finder *finder = scan->finder;
    struct graph *graph = scan->graph;
    struct graph_edge edge = {.label = GRAPH_NONE};
    size_t to = finder_find(finder, word, false);
    if (to == FINDER_NONE && scan->coroutines)
        coroutines_see(scan->coroutines, word);
    if (word - finder->lowest > finder->extent) /* most words are not pointers */
        return;
    bool is_field = name_word(scan->type, scan->size, offset, &edge);
    if (to == FINDER_NONE) {
        if (is_field)
            see_astray(scan, word);
        return;
    }
    if (graph->edge_count == graph_most) {
        scan->is_full = true;
        return;
    }
    edge.to = (uint32_t)to;
    edge.offset = offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
    edge.flags |= word != finder->blocks[to].start ? GRAPH_INTERIOR : 0;
    memory_grow(&graph->edges, graph->edge_count, &graph->edge_capacity, sizeof *graph->edges);
    graph->edges[graph->edge_count++] = edge;
    count_edge(graph, scan->type, scan->size, &edge);
}

/* A field at an unaligned offset, as in a packed struct. */
static void see_odd_field(struct scan *scan, uint64_t offset) {
    uint64_t word;
    if ((scan->start + offset) % WORD && offset + WORD <= scan->size &&
        image_read(scan->finder->image, scan->start + offset, &word, WORD))
        see_word(scan, word, offset);
}

static void see_odd_fields_at(struct scan *scan, uint64_t element) {
    for (size_t i = 0; i < scan->type->field_count; i++) {
        const struct type_field *field = &scan->type->fields[i];
        uint64_t offset = element + field->offset;
        if (field->is_text)
            continue;
        see_odd_field(scan, offset);
        for (uint64_t more = field->every; more && offset + more + WORD <= scan->size; more += field->every)
            see_odd_field(scan, offset + more);
    }
}

static void see_odd_fields(struct scan *scan) {
    const struct block_type *type = scan->type;
    uint64_t step = type->is_flexible ? scan->size + 1 : type->size;
    for (uint64_t at = block_type_first(type, scan->size); at < scan->size; at += step)
        see_odd_fields_at(scan, at);
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
    see_words(scan);
    if (!scan->type->field_count || (scan->type->is_aligned && scan->start % WORD == 0))
        return;
    see_odd_fields(scan);
    size_t count = scan->graph->edge_count - scan->first_edge;
    sort_list(scan->graph->edges + scan->first_edge, count, sizeof *scan->graph->edges, by_offset);
}

bool capture_edges(struct graph *graph, const struct finder *finder, const struct block_type *types,
                   struct coroutines *coroutines) {
    struct scan scan = {.graph = graph, .finder = finder, .coroutines = coroutines};
    for (size_t i = 0; i < graph->block_count; i++) {
        if (i % GRAPH_STEP == 0)
            progress_show("blocks looked through", i, graph->block_count);
        graph->blocks[i].edges = (uint32_t)graph->edge_count;
        scan.type = &types[graph->blocks[i].site];
        see_block(&scan, i);
    }
    graph->blocks[graph->block_count].edges = (uint32_t)graph->edge_count;
    return !scan.is_full;
}
