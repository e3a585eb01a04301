/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds who holds what, by type, and writes tables of it. */
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/graph/show.h"
#include "names/names.h"
#include "write/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {[GRAPH_DATA] = "data",
                                    [GRAPH_STACK] = "stack",
                                    [GRAPH_REGISTER] = "register",
                                    [GRAPH_THREAD] = "thread-local memory",
                                    [GRAPH_LOADER] = "dynamic loader"};

void graph_root_name(char *text, size_t size, const struct graph *graph, const struct graph_root *root) {
    const char *variable = graph_text(graph, root->label);
    if (root->thread)
        snprintf(text, size, "%s%s%s of thread %u", variable ?: "", variable ? ", " : "", kinds[root->kind],
                 root->thread);
    else if (variable && root->offset)
        snprintf(text, size, "%s+%llu", variable, (unsigned long long)root->offset);
    else
        snprintf(text, size, "%s", variable ?: kinds[root->kind]);
}

/* A reference, and the index of its holder in the list. */
struct reference {
    uint32_t holder, to;
};

struct references {
    const struct graph *graph;
    const struct graph_asked *asked; /* types of the targets; NULL: all */
    struct graph_holders *holders;
    struct number_map places, numbers; /* sources: types or kinds of roots with a field */
    struct reference *list;
    size_t count, capacity;
};

/* The number of the holder for a type or kind of root, its field, and the target's type. */
static uint32_t holder_number(struct references *references, uint64_t from, uint32_t label, uint32_t to) {
    struct graph_holders *holders = references->holders;
    uint64_t place = from << 32 | label;
    number_map_add(&references->places, place, references->places.count);
    uint64_t key = *number_map_find(&references->places, place) << 32 | to;
    if (number_map_add(&references->numbers, key, holders->count)) {
        memory_grow(&holders->list, holders->count, &holders->capacity, sizeof *holders->list);
        holders->list[holders->count++] = (struct graph_holder){.references = 0};
    }
    return (uint32_t)*number_map_find(&references->numbers, key);
}

/* from: index of a string, or a kind of root added to the number of strings. */
static void add_reference(struct references *references, uint64_t from, struct graph_holder of,
                          uint32_t label, uint32_t to) {
    const struct graph *graph = references->graph;
    of.to = graph_type_name(graph, to);
    if (references->asked && !references->asked->sites[graph->blocks[to].site])
        return;
    uint32_t number = holder_number(references, from, label, graph_site_of(graph, to)->type);
    struct graph_holder *holder = &references->holders->list[number];
    if (!holder->references++) {
        *holder = of;
        holder->references = 1;
    }
    memory_grow(&references->list, references->count, &references->capacity, sizeof *references->list);
    references->list[references->count++] = (struct reference){number, to};
}

static void add_edges(struct references *references) {
    const struct graph *graph = references->graph;
    for (size_t i = 0; i < graph->block_count; i++) {
        struct graph_holder of = {.from = graph_type_name(graph, i)};
        if (i % GRAPH_STEP == 0)
            progress_show("blocks looked at", i, graph->block_count);
        for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++) {
            of.field = graph_text(graph, graph->edges[edge].label);
            add_reference(references, graph_site_of(graph, i)->type, of, graph->edges[edge].label,
                          graph->edges[edge].to);
        }
    }
}

static void add_roots(struct references *references) {
    const struct graph *graph = references->graph;
    for (size_t i = 0; i < graph->root_count; i++) {
        const struct graph_root *root = &graph->roots[i];
        add_reference(references, GRAPH_NONE - 1 - root->kind,
                      (struct graph_holder){.from = kinds[root->kind],
                                            .field = graph_text(graph, root->label),
                                            .is_root = true},
                      root->label, root->to);
    }
}

int graph_holder_compare(const struct graph_holder *left, const struct graph_holder *right) {
    return compare_text(left->to, right->to) ?: left->is_root - right->is_root
                                             ?: compare_text(left->from, right->from)
                                             ?: compare_text(left->field, right->field);
}

static int by_number(const void *a, const void *b) {
    const struct graph_holder *left = a, *right = b;
    return compare_u64(right->references, left->references) ?: graph_holder_compare(left, right);
}

/* Counts the distinct objects of each holder. The references of one holder are consecutive, so it suffices to
 * remember the last holder that counted each object. */
static void count_objects(struct references *references) {
    const struct graph *graph = references->graph;
    struct graph_holders *holders = references->holders;
    size_t *next = memory_zeros(holders->count + 1, sizeof *next);
    uint32_t *objects = memory_zeros(references->count, sizeof *objects);
    uint32_t *last = memory_zeros(graph->block_count, sizeof *last);
    for (size_t i = 0; i < holders->count; i++)
        next[i + 1] = next[i] + holders->list[i].references;
    for (size_t i = 0; i < references->count; i++)
        objects[next[references->list[i].holder]++] = references->list[i].to;
    size_t at = 0;
    for (uint32_t i = 0; i < holders->count; i++)
        for (; at < next[i]; at++)
            if (last[objects[at]] != i + 1) {
                last[objects[at]] = i + 1;
                holders->list[i].objects++;
                holders->list[i].bytes += graph_self(graph, objects[at]);
            }
    free(next);
    free(objects);
    free(last);
}

void graph_holders_find(struct graph_holders *holders, const struct graph *graph,
                        const struct graph_asked *asked) {
    struct references references = {.graph = graph, .asked = asked, .holders = holders};
    *holders = (struct graph_holders){.count = 0};
    add_edges(&references);
    add_roots(&references);
    count_objects(&references);
    sort_list(holders->list, holders->count, sizeof *holders->list, by_number);
    number_map_free(&references.places);
    number_map_free(&references.numbers);
    free(references.list);
}

void graph_holders_free(struct graph_holders *holders) {
    free(holders->list);
}

/* ---- The edges of a graph reversed. */

void graph_back_make(struct graph_back *back, const struct graph *graph) {
    back->first = memory_zeros(graph->block_count + 1, sizeof *back->first);
    back->list = memory_zeros(graph->edge_count, sizeof *back->list);
    for (size_t i = 0; i < graph->edge_count; i++)
        back->first[graph->edges[i].to + 1]++;
    for (size_t i = 0; i < graph->block_count; i++)
        back->first[i + 1] += back->first[i];
    uint32_t *fill = memory_copy(back->first, (graph->block_count + 1) * sizeof *fill);
    for (uint32_t i = 0; i < graph->block_count; i++)
        for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++)
            back->list[fill[graph->edges[edge].to]++] = (struct graph_backward){i, edge};
    free(fill);
}

void graph_back_free(struct graph_back *back) {
    free(back->first);
    free(back->list);
}

/* ---- Tables of holders. */

static const struct graph_column columns[] = {
    {.name = "references", .offset = offsetof(struct graph_holder, references)},
    {.name = "objects", .offset = offsetof(struct graph_holder, objects)},
    {.name = "bytes", .offset = offsetof(struct graph_holder, bytes), .is_bytes = true},
    {.name = "from", .offset = offsetof(struct graph_holder, from), .is_text = true},
    {.name = "field", .offset = offsetof(struct graph_holder, field), .is_text = true},
    {.name = "to", .offset = offsetof(struct graph_holder, to), .is_text = true},
};

/* The last column is shown only for references to several types. */
enum { HOLDER_NUMBERS = 3, HOLDER_COLUMNS = 5 };

/* "node.next"; only the type if no layout names the word. */
void graph_put_holder(const struct page *page, const struct graph_holder *holder) {
    char *name = memory_text("%s%s%s", holder->from,
                             !holder->field    ? ""
                             : holder->is_root ? " "
                                               : ".",
                             holder->field ?: "");
    page_code(page, name);
    free(name);
}

static void put_from(const struct page *page, const void *context, const void *of) {
    const struct graph_holder *holder = of;
    const struct graph_asked *asked = context;
    graph_put_holder(page, holder);
    if (!asked->is_several)
        return;
    out_text(page->out, " -> ");
    page_type(page, holder->to);
}

static void put_holders(struct out *out, const struct graph_holders *holders, size_t shown,
                        const struct graph_asked *asked, const char *type, enum graph_format format) {
    const struct page page = graph_page(out, format);
    const struct graph_table table = {
        columns, HOLDER_COLUMNS + asked->is_several, HOLDER_NUMBERS, "from", put_from, asked};
    if (format == GRAPH_TEXT || format == GRAPH_MARKDOWN) {
        page_begin_line(&page, "who refers to ", "Who refers to ");
        page_code(&page, type);
        page_end_line(&page);
    }
    graph_put_table(out, format, &table, holders->list, shown, sizeof *holders->list, NULL);
}

void graph_holders_json(struct json *json, const char *key, const struct graph_holders *holders,
                        size_t shown) {
    json_open(json, key, '[');
    for (size_t i = 0; i < shown; i++) {
        const struct graph_holder *holder = &holders->list[i];
        json_open_line(json, NULL, '{');
        graph_json_columns(json, holder, &columns[HOLDER_NUMBERS], HOLDER_COLUMNS - HOLDER_NUMBERS);
        json_text(json, "to", holder->to);
        json_flag(json, "root", holder->is_root);
        graph_json_columns(json, holder, columns, HOLDER_NUMBERS);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void graph_table_holders(struct out *out, const struct graph *graph, const struct graph_asked *asked,
                         const char *type, size_t shown, enum graph_format format) {
    struct graph_holders holders;
    graph_holders_find(&holders, graph, asked);
    shown = shown && shown < holders.count ? shown : holders.count;
    type = asked->type && !asked->is_several ? asked->type : type;
    if (format == GRAPH_JSON) {
        struct json json = json_begin(out, "allocsite-graph-holders", 1);
        json_text(&json, "type", type);
        graph_holders_json(&json, "holders", &holders, shown);
        json_end(&json);
    } else
        put_holders(out, &holders, shown, asked, type, format);
    graph_holders_free(&holders);
}
