/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds paths from roots to an object, and the holders of a leaked one. */
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/graph/show.h"
#include "model/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares without spaces, which compilers place differently. */
static bool is_same_type(const char *type, const char *asked) {
    while (*type || *asked) {
        type += *type == ' ';
        asked += *asked == ' ';
        if (*type != *asked)
            return false;
        type += *type != '\0';
        asked += *asked != '\0';
    }
    return true;
}

/* True if the name is the type as shown or as written in source code, or a pattern that matches it. */
static bool is_type(const char *type, const char *asked) {
    return is_same_type(type, asked) || filter_is_type(asked, type);
}

/* A type of exactly that name takes precedence over a pattern: "List<char *>" contains a star. */
static bool has_type(const struct graph *graph, const char *asked) {
    for (size_t i = 0; i < graph->site_count; i++)
        if (is_same_type(graph_text(graph, graph->sites[i].type) ?: GRAPH_NO_TYPE, asked))
            return true;
    return false;
}

/* Types are strings of the graph. Each string is compared once. */
void graph_asked_find(struct graph_asked *found, const struct graph *graph, const char *asked) {
    bool is_exact = has_type(graph, asked);
    signed char *known = memory_zeros(graph->text_count + 1, 1); /* by string; the last entry stands for no
                                                                  * type */
    *found = (struct graph_asked){.sites = memory_zeros(graph->site_count, sizeof *found->sites)};
    for (size_t i = 0; i < graph->site_count; i++) {
        uint32_t text = graph->sites[i].type;
        const char *type = graph_text(graph, text) ?: GRAPH_NO_TYPE;
        signed char *matches = &known[text == GRAPH_NONE ? graph->text_count : text];
        if (!*matches)
            *matches = (is_exact ? is_same_type : is_type)(type, asked) ? 1 : -1;
        found->sites[i] = *matches > 0;
        if (!found->sites[i])
            continue;
        found->is_several |= found->type && strcmp(found->type, type) != 0;
        found->type = found->type ?: type;
    }
    free(known);
}

void graph_asked_free(struct graph_asked *asked) {
    free(asked->sites);
}

/* A breadth-first search. It finds a shortest path to every block. */
struct ways {
    const struct graph *graph;
    struct out *out;
    uint32_t *queue, *from, *edge; /* predecessor and edge of each block; GRAPH_NONE: a start */
    uint32_t *root;                /* root of each start */
    bool *is_visited;
    size_t count;
};

static void ways_open(struct ways *ways, const struct graph *graph, struct out *out) {
    size_t count = graph->block_count;
    *ways = (struct ways){.graph = graph, .out = out};
    ways->queue = memory_zeros(count, sizeof *ways->queue);
    ways->from = memory_zeros(count, sizeof *ways->from);
    ways->edge = memory_zeros(count, sizeof *ways->edge);
    ways->root = memory_zeros(count, sizeof *ways->root);
    ways->is_visited = memory_zeros(count, sizeof *ways->is_visited);
}

static void ways_close(struct ways *ways) {
    free(ways->queue);
    free(ways->from);
    free(ways->edge);
    free(ways->root);
    free(ways->is_visited);
}

static void come_to(struct ways *ways, uint32_t block, uint32_t from, uint32_t edge) {
    if (ways->is_visited[block])
        return;
    ways->is_visited[block] = true;
    ways->from[block] = from;
    ways->edge[block] = edge;
    ways->queue[ways->count++] = block;
}

static void go_on(struct ways *ways, size_t from) {
    const struct graph *graph = ways->graph;
    for (size_t i = from; i < ways->count; i++) {
        uint32_t block = ways->queue[i];
        for (uint32_t edge = graph->blocks[block].edges; edge < graph->blocks[block + 1].edges; edge++)
            come_to(ways, graph->edges[edge].to, block, edge);
    }
}

/* Named variables come before unnamed roots, so among paths of equal length one with a name is shown. */
static void begin_with(struct ways *ways, bool has_name) {
    const struct graph *graph = ways->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t block = graph->roots[i].to;
        if ((graph->roots[i].label != GRAPH_NONE) != has_name || ways->is_visited[block])
            continue;
        ways->root[block] = i;
        come_to(ways, block, GRAPH_NONE, GRAPH_NONE);
    }
}

static void put_object(const struct ways *ways, uint32_t block) {
    const struct graph *graph = ways->graph;
    out_print(ways->out, "0x%lx ", graph->blocks[block].address);
    out_plain(ways->out, graph_type_name(graph, block));
    out_print(ways->out, ", %lu B, ", graph->blocks[block].size);
    graph_site_write(ways->out, graph, graph_site_of(graph, block));
    graph_put_content(ways->out, graph, block);
    out_char(ways->out, '\n');
}

/* Writes where the block was allocated. */
static void put_stack(const struct ways *ways, uint32_t block) {
    const char *way = graph_way_of(ways->graph, block);
    if (!way)
        return;
    out_text(ways->out, "    allocated by ");
    out_plain(ways->out, way);
    out_char(ways->out, '\n');
}

static void put_edge(const struct ways *ways, uint32_t edge) {
    out_text(ways->out, "    ");
    graph_edge_write(ways->out, ways->graph, &ways->graph->edges[edge]);
    out_text(ways->out, " -> ");
}

/* ---- Steps from object to object. A path through a list of a thousand nodes is shown as one step,
 * repeated. */

struct step {
    uint32_t edge, block; /* the edge's target, or backwards its source */
};

enum { PERIOD_MOST = 4, REPEATS_LEAST = 3 };

static bool is_same_step(const struct graph *graph, struct step a, struct step b) {
    const struct graph_edge *left = &graph->edges[a.edge], *right = &graph->edges[b.edge];
    return left->label == right->label && left->offset == right->offset &&
           graph->blocks[a.block].site == graph->blocks[b.block].site &&
           graph->blocks[a.block].size == graph->blocks[b.block].size;
}

/* How often the first `period` steps repeat consecutively. */
static size_t count_repeats(const struct graph *graph, const struct step *steps, size_t count,
                            size_t period) {
    size_t same = period;
    while (same < count && is_same_step(graph, steps[same], steps[same - period]))
        same++;
    return same / period;
}

/* Returns how often the leading steps repeat; *period is their number. 1: no repetition. */
static size_t find_repeats(const struct graph *graph, const struct step *steps, size_t count,
                           size_t *period) {
    for (*period = 1; *period <= PERIOD_MOST && *period * REPEATS_LEAST <= count; ++*period) {
        size_t repeats = count_repeats(graph, steps, count, *period);
        if (repeats >= REPEATS_LEAST)
            return repeats;
    }
    *period = 1;
    return 1;
}

static void put_step(const struct ways *ways, struct step step) {
    put_edge(ways, step.edge);
    put_object(ways, step.block);
}

/* "next x 998 -> 0x1234 node": the object that the last of these steps leads to. */
static void put_repeated(const struct ways *ways, const struct step *steps, size_t period, size_t repeats) {
    out_text(ways->out, "    ");
    for (size_t i = 0; i < period; i++) {
        out_text(ways->out, i ? ", " : "");
        graph_edge_write(ways->out, ways->graph, &ways->graph->edges[steps[i].edge]);
    }
    out_print(ways->out, " x %lu -> ", repeats);
    put_object(ways, steps[period * repeats - 1].block);
}

static void put_steps(const struct ways *ways, const struct step *steps, size_t count) {
    size_t period, after;
    for (size_t at = 0; at < count; at = after) {
        size_t repeats = find_repeats(ways->graph, &steps[at], count - at, &period);
        for (after = at; after < at + period; after++)
            put_step(ways, steps[after]);
        if (repeats == 1)
            continue;
        put_repeated(ways, &steps[after], period, repeats - 1);
        after += period * (repeats - 1);
    }
}

/* The steps of the search from the block *first, which is set, to the last one. The array has room for one
 * more step; the caller frees it. */
static struct step *steps_to(const struct ways *ways, uint32_t last, uint32_t *first, size_t *count) {
    size_t length = 0;
    for (*first = last; ways->from[*first] != GRAPH_NONE; *first = ways->from[*first])
        length++;
    struct step *steps = memory_zeros(length + 1, sizeof *steps);
    *count = length;
    for (; ways->from[last] != GRAPH_NONE; last = ways->from[last])
        steps[--length] = (struct step){ways->edge[last], last};
    return steps;
}

/* Writes the path from its start to the block. */
static void put_way(struct ways *ways, uint32_t block) {
    char name[600];
    size_t count;
    uint32_t first;
    struct step *steps = steps_to(ways, block, &first, &count);
    graph_root_name(name, sizeof name, ways->graph, &ways->graph->roots[ways->root[first]]);
    out_plain(ways->out, name);
    out_text(ways->out, "\n    -> ");
    put_object(ways, first);
    put_steps(ways, steps, count);
    free(steps);
}

/* ---- Leaked objects. */

/* The edge that leads from a reached block back to the first block; its source is *last. GRAPH_NONE: none. */
static uint32_t find_closing(const struct ways *around, uint32_t block, uint32_t *last) {
    const struct graph *graph = around->graph;
    for (size_t i = 0; i < around->count; i++) {
        *last = around->queue[i];
        for (uint32_t edge = graph->blocks[*last].edges; edge < graph->blocks[*last + 1].edges; edge++)
            if (graph->edges[edge].to == block)
                return edge;
    }
    return GRAPH_NONE;
}

static void put_around(const struct ways *around, uint32_t block, uint32_t last, uint32_t closing) {
    size_t count;
    struct step *steps = steps_to(around, last, &(uint32_t){0}, &count);
    steps[count++] = (struct step){closing, block};
    out_text(around->out, "leaked: a cycle holds itself\n    ");
    put_object(around, block);
    put_steps(around, steps, count);
    free(steps);
}

/* Writes the shortest cycle through the block. False: there is none. */
static bool put_cycle(const struct ways *ways, uint32_t block) {
    struct ways around;
    uint32_t last;
    ways_open(&around, ways->graph, ways->out);
    come_to(&around, block, GRAPH_NONE, GRAPH_NONE);
    go_on(&around, 0);
    uint32_t closing = find_closing(&around, block, &last);
    if (closing != GRAPH_NONE)
        put_around(&around, block, last, closing);
    ways_close(&around);
    return closing != GRAPH_NONE;
}

/* Follows the first holder of each block backwards, up to a block that nothing holds or that was visited
 * before. */
static struct step *steps_back(struct ways *ways, const struct graph_back *back, uint32_t block,
                               size_t *count) {
    struct step *steps = NULL;
    size_t capacity = 0;
    *count = 0;
    while (back->first[block] < back->first[block + 1] && !ways->is_visited[block]) {
        const struct graph_backward *holder = &back->list[back->first[block]];
        ways->is_visited[block] = true;
        block = holder->from;
        memory_grow(&steps, *count, &capacity, sizeof *steps);
        steps[(*count)++] = (struct step){holder->edge, block};
    }
    return steps;
}

static void put_step_back(const struct ways *ways, struct step step) {
    out_text(ways->out, "held by\n    ");
    put_object(ways, step.block);
    put_edge(ways, step.edge);
    put_object(ways, ways->graph->edges[step.edge].to);
}

static void put_steps_back(const struct ways *ways, const struct step *steps, size_t count) {
    size_t period, after;
    for (size_t at = 0; at < count; at = after) {
        size_t repeats = find_repeats(ways->graph, &steps[at], count - at, &period);
        for (after = at; after < at + period; after++)
            put_step_back(ways, steps[after]);
        if (repeats == 1)
            continue;
        after += period * (repeats - 1);
        out_print(ways->out, "held in the same way x %lu by\n    ", repeats - 1);
        put_object(ways, steps[after - 1].block);
    }
}

/* Goes backwards to a block that nothing holds or that is in a cycle. */
static void put_leaked(struct ways *ways, const struct graph_back *back, uint32_t block) {
    if (put_cycle(ways, block))
        return;
    size_t count;
    struct step *steps = steps_back(ways, back, block, &count);
    out_text(ways->out, "leaked: ");
    put_object(ways, block);
    put_steps_back(ways, steps, count);
    block = count ? steps[count - 1].block : block;
    free(steps);
    if (!put_cycle(ways, block))
        out_text(ways->out, back->first[block] < back->first[block + 1] ? "which is shown above\n"
                                                                        : "which nothing points to\n");
}

/* ---- The objects that the user asks for. */

/* what: "src/a.c:12", "a.c", "parse", or "src/a.c:12 parse" as rows by site show it. */
static bool is_at_site(const struct graph *graph, const struct graph_site *site, const char *what) {
    const struct place place = {.file = graph_text(graph, site->file),
                                .function = graph_text(graph, site->function),
                                .line = site->line};
    char row[4200];
    struct out out;
    out_open_memory(&out, row, sizeof row);
    graph_site_write(&out, graph, site);
    return filter_is_place(what, &place) || filter_is_shown_function(what, place.function) ||
           filter_is_path(what, row);
}

/* Finds the sites that the user asks for, by type or by source location. */
static void find_sites(struct graph_asked *asked, const struct graph *graph, const char *what) {
    graph_asked_find(asked, graph, what);
    for (size_t i = 0; i < graph->site_count; i++)
        asked->sites[i] = asked->sites[i] || is_at_site(graph, &graph->sites[i], what);
}

/* The block that contains the address; block_count: none. */
static size_t find_block(const struct graph *graph, uint64_t address) {
    size_t after = sorted_up_to(graph->blocks, graph->block_count, sizeof *graph->blocks,
                                offsetof(struct graph_block, address), address);
    if (!after)
        return graph->block_count;
    const struct graph_block *block = &graph->blocks[after - 1];
    bool is_in = address == block->address || address - block->address < block->size;
    return is_in ? after - 1 : graph->block_count;
}

static size_t address_of(const struct graph *graph, const char *what) {
    char *end;
    uint64_t address = strtoull(what, &end, 16);
    return strncmp(what, "0x", 2) == 0 && !*end ? find_block(graph, address) : graph->block_count;
}

bool graph_show_why(struct out *out, const struct graph *graph, const char *what, size_t limit) {
    struct graph_asked asked;
    struct graph_back back;
    struct ways ways;
    size_t shown = 0, reached, at = address_of(graph, what);
    ways_open(&ways, graph, out);
    find_sites(&asked, graph, what);
    graph_back_make(&back, graph);
    begin_with(&ways, true);
    begin_with(&ways, false);
    go_on(&ways, 0);
    reached = ways.count;
    for (size_t i = 0; i < reached && shown < limit; i++)
        if (ways.queue[i] == at || asked.sites[graph->blocks[ways.queue[i]].site]) {
            put_way(&ways, ways.queue[i]);
            put_stack(&ways, ways.queue[i]);
            shown++;
        }
    for (uint32_t i = 0; i < graph->block_count && shown < limit; i++)
        if (!ways.is_visited[i] && (i == at || asked.sites[graph->blocks[i].site])) {
            put_leaked(&ways, &back, i);
            put_stack(&ways, i);
            shown++;
        }
    graph_asked_free(&asked);
    graph_back_free(&back);
    ways_close(&ways);
    return shown;
}
