/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How roots lead to an object, and what holds one to which none does. */
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/graph/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the wanted one, or the same without spaces, which compilers set otherwise. */
bool graph_is_type(const char *type, const char *asked) {
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

/* A breadth-first search: every block by the shortest way. */
struct ways {
    const struct graph *graph;
    struct out *out;
    uint32_t *queue, *from, *edge; /* how each block was come to; GRAPH_NONE: it was begun with */
    uint32_t *root;                /* of those that were begun with */
    bool *is_seen;
    size_t count;
};

static void ways_open(struct ways *ways, const struct graph *graph, struct out *out) {
    size_t count = graph->block_count;
    *ways = (struct ways){.graph = graph, .out = out};
    ways->queue = memory_zeros(count, sizeof *ways->queue);
    ways->from = memory_zeros(count, sizeof *ways->from);
    ways->edge = memory_zeros(count, sizeof *ways->edge);
    ways->root = memory_zeros(count, sizeof *ways->root);
    ways->is_seen = memory_zeros(count, sizeof *ways->is_seen);
}

static void ways_close(struct ways *ways) {
    free(ways->queue);
    free(ways->from);
    free(ways->edge);
    free(ways->root);
    free(ways->is_seen);
}

static void come_to(struct ways *ways, uint32_t block, uint32_t from, uint32_t edge) {
    if (ways->is_seen[block])
        return;
    ways->is_seen[block] = true;
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

/* Variables before what has no name, so that of ways of one length that with a name is told. */
static void begin_with(struct ways *ways, bool has_name) {
    const struct graph *graph = ways->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t block = graph->roots[i].to;
        if ((graph->roots[i].label != GRAPH_NONE) != has_name || ways->is_seen[block])
            continue;
        ways->root[block] = i;
        come_to(ways, block, GRAPH_NONE, GRAPH_NONE);
    }
}

static void put_object(const struct ways *ways, uint32_t block) {
    const struct graph *graph = ways->graph;
    out_text(ways->out, "0x");
    out_hex(ways->out, graph->blocks[block].address);
    out_char(ways->out, ' ');
    out_plain(ways->out, graph_type_name(graph, block));
    out_text(ways->out, ", ");
    out_u64(ways->out, graph->blocks[block].size);
    out_text(ways->out, " B, ");
    graph_site_write(ways->out, graph, graph_site_of(graph, block));
    graph_put_content(ways->out, graph, block);
    out_char(ways->out, '\n');
}

/* Where what was asked for came from. */
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

/* From where it was begun to the block. */
static void put_way(struct ways *ways, uint32_t block) {
    char name[600];
    uint32_t *way = memory_zeros(ways->count, sizeof *way);
    size_t length = 0;
    for (; ways->from[block] != GRAPH_NONE; block = ways->from[block])
        way[length++] = block;
    graph_root_name(name, sizeof name, ways->graph, &ways->graph->roots[ways->root[block]]);
    out_plain(ways->out, name);
    out_text(ways->out, "\n    -> ");
    put_object(ways, block);
    while (length) {
        put_edge(ways, ways->edge[way[--length]]);
        put_object(ways, way[length]);
    }
    free(way);
}

/* ---- Lost objects. */

/* The edge by which a block that was come to leads back to the first one; its block is *last. GRAPH_NONE:
 * none does. */
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
    uint32_t *way = memory_zeros(around->count, sizeof *way);
    size_t length = 0;
    for (uint32_t at = last; at != block; at = around->from[at])
        way[length++] = at;
    out_text(around->out, "lost: a cycle holds itself\n    ");
    put_object(around, block);
    while (length) {
        put_edge(around, around->edge[way[--length]]);
        put_object(around, way[length]);
    }
    put_edge(around, closing);
    put_object(around, block);
    free(way);
}

/* The shortest way from the block back to itself. False: there is none. */
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

/* Backwards to a block that nothing holds, or that is in a cycle. */
static void put_lost(struct ways *ways, const struct graph_back *back, uint32_t block) {
    if (put_cycle(ways, block))
        return;
    out_text(ways->out, "lost: ");
    put_object(ways, block);
    while (back->first[block] < back->first[block + 1] && !ways->is_seen[block]) {
        const struct graph_backward *holder = &back->list[back->first[block]];
        ways->is_seen[block] = true;
        block = holder->from;
        out_text(ways->out, "held by\n    ");
        put_object(ways, block);
        put_edge(ways, holder->edge);
        put_object(ways, ways->graph->edges[holder->edge].to);
    }
    if (!put_cycle(ways, block))
        out_text(ways->out, back->first[block] < back->first[block + 1] ? "which stands above\n"
                                                                        : "which nothing points to\n");
}

/* ---- What is asked for. */

static bool is_at_site(const struct graph *graph, const struct graph_site *site, const char *what) {
    char text[4200];
    const char *file = graph_text(graph, site->file), *function = graph_text(graph, site->function);
    snprintf(text, sizeof text, "%s:%u", file ?: "", site->line);
    size_t length = strlen(text), asked = strlen(what);
    bool is_line = file && asked <= length && strcmp(text + length - asked, what) == 0 &&
                   (asked == length || text[length - asked - 1] == '/');
    return is_line || (function && strcmp(function, what) == 0);
}

static bool is_asked(const struct graph *graph, uint32_t block, const char *what, size_t at) {
    return block == at || graph_is_type(graph_type_name(graph, block), what) ||
           is_at_site(graph, graph_site_of(graph, block), what);
}

/* The block that has the address, or that starts there; block_count: none. */
static size_t find_block(const struct graph *graph, uint64_t address) {
    size_t behind = sorted_up_to(graph->blocks, graph->block_count, sizeof *graph->blocks,
                                 offsetof(struct graph_block, address), address);
    if (!behind)
        return graph->block_count;
    const struct graph_block *block = &graph->blocks[behind - 1];
    bool is_in = address == block->address || address - block->address < block->size;
    return is_in ? behind - 1 : graph->block_count;
}

static size_t address_of(const struct graph *graph, const char *what) {
    char *end;
    uint64_t address = strtoull(what, &end, 16);
    return strncmp(what, "0x", 2) == 0 && !*end ? find_block(graph, address) : graph->block_count;
}

bool graph_show_why(struct out *out, const struct graph *graph, const char *what, size_t limit) {
    struct graph_back back;
    struct ways ways;
    size_t shown = 0, reached, at = address_of(graph, what);
    ways_open(&ways, graph, out);
    graph_back_make(&back, graph);
    begin_with(&ways, true);
    begin_with(&ways, false);
    go_on(&ways, 0);
    reached = ways.count;
    for (size_t i = 0; i < reached && shown < limit; i++)
        if (is_asked(graph, ways.queue[i], what, at)) {
            put_way(&ways, ways.queue[i]);
            put_stack(&ways, ways.queue[i]);
            shown++;
        }
    for (uint32_t i = 0; i < graph->block_count && shown < limit; i++)
        if (!ways.is_seen[i] && is_asked(graph, i, what, at)) {
            put_lost(&ways, &back, i);
            put_stack(&ways, i);
            shown++;
        }
    graph_back_free(&back);
    ways_close(&ways);
    return shown;
}
