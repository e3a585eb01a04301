/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums over the blocks of a graph by type, site or call path. */
#include "dump/graph/graph.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/types/name.h"
#include "names/names.h"

#include <stdlib.h>
#include <string.h>

const char *graph_type_name(const struct graph *graph, size_t block) {
    return graph_type_of(graph, block) ?: GRAPH_NO_TYPE;
}

void graph_site_write(struct out *out, const struct graph *graph, const struct graph_site *site) {
    const char *file = graph_text(graph, site->file), *function = graph_text(graph, site->function);
    out_plain(out, file ?: graph_text(graph, site->module) ?: "[unknown]");
    if (file)
        out_print(out, ":%u", site->line);
    if (function) {
        out_char(out, ' ');
        out_plain(out, function);
    }
}

/* ---- Rows. */

static uint32_t way_number(const struct graph *graph, size_t block) {
    uint32_t stack = graph->stack_of ? graph->stack_of[block] : GRAPH_NONE;
    return stack == GRAPH_NONE ? GRAPH_NONE : graph->stacks[stack].way;
}

/* By type, equally named types of several modules share a row. */
static uint64_t key_of(const struct graph *graph, uint32_t site, uint32_t way, enum graph_by by) {
    return by == GRAPH_BY_TYPE ? graph->sites[site].type : (uint64_t)site << 32 | way;
}

/* The last row of each site. Consecutive blocks mostly share it, and a look-up in the table costs ten times
 * as much. */
struct last_row {
    bool is_known;
    uint32_t way, row;
};

static void add_row(struct graph_sums *sums, const struct graph *graph, size_t block, enum graph_by by) {
    memory_grow(&sums->rows, sums->count, &sums->capacity, sizeof *sums->rows);
    sums->rows[sums->count++] =
        (struct graph_row){.name = graph_type_name(graph, block),
                           .site = graph->blocks[block].site,
                           .way = by == GRAPH_BY_STACK ? graph_way_of(graph, block) : NULL};
}

static void make_rows(struct graph_sums *sums, const struct graph *graph, enum graph_by by) {
    struct last_row *rows = memory_zeros(graph->site_count, sizeof *rows);
    struct number_map all = {.count = 0};
    for (size_t i = 0; i < graph->block_count; i++) {
        uint32_t site = graph->blocks[i].site, way = by == GRAPH_BY_STACK ? way_number(graph, i) : 0;
        if (!rows[site].is_known || rows[site].way != way) {
            uint64_t key = key_of(graph, site, way, by);
            if (number_map_add(&all, key, sums->count))
                add_row(sums, graph, i, by);
            rows[site] = (struct last_row){true, way, (uint32_t)*number_map_find(&all, key)};
        }
        sums->row_of[i] = rows[site].row;
    }
    number_map_free(&all);
    free(rows);
}

static void count_block(struct graph_row *row, const struct graph *graph, size_t block, bool is_leaked) {
    uint64_t self_bytes = graph_self(graph, block);
    if (graph_site_of(graph, block)->is_uncounted)
        return;
    row->objects++;
    row->self += self_bytes;
    row->leaked += is_leaked;
    row->leaked_bytes += is_leaked ? self_bytes : 0;
}

static void count_all(struct graph_sums *sums, const struct graph *graph,
                      const struct graph_dominators *dominators) {
    for (size_t i = 0; i < graph->block_count; i++) {
        count_block(&sums->rows[sums->row_of[i]], graph, i, dominators->is_leaked[i]);
        count_block(&sums->total, graph, i, dominators->is_leaked[i]);
        const char *type = graph_type_of(graph, i);
        bool is_known = type && !strstr(type, TYPE_NAME_OR);
        sums->typed += is_known ? graph_self(graph, i) : 0;
        sums->ambiguous += type && !is_known ? graph_self(graph, i) : 0;
    }
}

/* ---- Retained bytes of a row. If blocks of one row dominate each other, only the topmost counts. */

struct tree {
    uint32_t *first, *children; /* children in the dominator tree; the last entry is the virtual root */
    uint32_t *stack, *next;
    uint32_t *on_way; /* for each row, the number of its blocks on the current path */
};

static void tree_open(struct tree *tree, const struct graph *graph, const struct graph_dominators *dominators,
                      size_t rows) {
    size_t blocks = graph->block_count;
    tree->first = memory_zeros(blocks + 2, sizeof *tree->first);
    tree->children = memory_zeros(blocks, sizeof *tree->children);
    tree->stack = memory_zeros(blocks + 1, sizeof *tree->stack);
    tree->next = memory_zeros(blocks + 1, sizeof *tree->next);
    tree->on_way = memory_zeros(rows, sizeof *tree->on_way);
    for (size_t i = 0; i < blocks; i++)
        tree->first[(dominators->dominator[i] == GRAPH_NONE ? blocks : dominators->dominator[i]) + 1]++;
    for (size_t i = 1; i < blocks + 2; i++)
        tree->first[i] += tree->first[i - 1];
    uint32_t *fill = memory_copy(tree->first, (blocks + 2) * sizeof *fill);
    for (uint32_t i = 0; i < blocks; i++)
        tree->children[fill[dominators->dominator[i] == GRAPH_NONE ? blocks : dominators->dominator[i]]++] =
            i;
    free(fill);
}

static void tree_close(struct tree *tree) {
    free(tree->first);
    free(tree->children);
    free(tree->stack);
    free(tree->next);
    free(tree->on_way);
}

static void enter_block(struct tree *tree, struct graph_sums *sums, const struct graph_dominators *dominators,
                        uint32_t block) {
    uint32_t row = sums->row_of[block];
    if (!tree->on_way[row]++)
        sums->rows[row].retained += dominators->retained[block];
}

static void retain_bytes(struct graph_sums *sums, const struct graph *graph,
                         const struct graph_dominators *dominators) {
    struct tree tree;
    uint32_t depth = 1, top = (uint32_t)graph->block_count;
    tree_open(&tree, graph, dominators, sums->count);
    tree.stack[0] = top;
    tree.next[0] = tree.first[top];
    while (depth) {
        uint32_t at = tree.stack[depth - 1];
        if (tree.next[depth - 1] == tree.first[at + 1]) {
            if (at != top)
                tree.on_way[sums->row_of[at]]--;
            depth--;
            continue;
        }
        uint32_t child = tree.children[tree.next[depth - 1]++];
        enter_block(&tree, sums, dominators, child);
        tree.stack[depth] = child;
        tree.next[depth++] = tree.first[child];
    }
    tree_close(&tree);
}

/* ---- Reachable bytes of a row. */

/* Prefetch distances for blocks and for their edges. Most are not in the processor's cache, and fetching them
 * in parallel takes the time of one miss. */
enum { BLOCKS_AHEAD = 32, EDGES_AHEAD = 16 };

struct reaching {
    const struct graph *graph;
    uint64_t *visited; /* a bit for each block */
    uint32_t *queue;
    size_t count;
};

static void come_to(struct reaching *reaching, uint32_t block) {
    uint64_t bit = UINT64_C(1) << block % 64, *word = &reaching->visited[block / 64];
    if (*word & bit)
        return;
    *word |= bit;
    reaching->queue[reaching->count++] = block;
}

static void look_ahead(const struct reaching *reaching, size_t at) {
    const struct graph *graph = reaching->graph;
    if (at + BLOCKS_AHEAD < reaching->count)
        __builtin_prefetch(&graph->blocks[reaching->queue[at + BLOCKS_AHEAD]]);
    if (at + EDGES_AHEAD < reaching->count)
        __builtin_prefetch(&graph->edges[graph->blocks[reaching->queue[at + EDGES_AHEAD]].edges]);
}

/* Returns the bytes of all blocks reachable from the queue, these included. */
static uint64_t reach_blocks(struct reaching *reaching) {
    const struct graph *graph = reaching->graph;
    uint64_t bytes = 0;
    for (size_t at = 0; at < reaching->count; at++) {
        uint32_t block = reaching->queue[at];
        look_ahead(reaching, at);
        bytes += graph_self(graph, block);
        for (uint32_t edge = graph->blocks[block].edges; edge < graph->blocks[block + 1].edges; edge++)
            come_to(reaching, graph->edges[edge].to);
    }
    return bytes;
}

static void reach_all(struct graph_sums *sums, const struct graph *graph, size_t shown) {
    size_t words = graph->block_count / 64 + 1, rows = shown < sums->count ? shown : sums->count;
    struct reaching reaching = {.graph = graph, .visited = memory_zeros(words, sizeof *reaching.visited)};
    reaching.queue = memory_zeros(graph->block_count, sizeof *reaching.queue);
    for (size_t row = 0; row < rows; row++) {
        progress_show("rows whose deep bytes are known", row, rows);
        memset(reaching.visited, 0, words * sizeof *reaching.visited);
        reaching.count = 0;
        for (uint32_t i = 0; i < graph->block_count; i++)
            if (sums->row_of[i] == row)
                come_to(&reaching, i);
        sums->rows[row].deep = reach_blocks(&reaching);
    }
    free(reaching.visited);
    free(reaching.queue);
}

/* ---- Sorting. */

static int by_retained(const void *a, const void *b) {
    const struct graph_row *left = a, *right = b;
    if (!left->objects || !right->objects)
        return !left->objects - !right->objects;
    return compare_u64(right->retained, left->retained) ?: compare_u64(right->self, left->self)
                                                        ?: compare_text(left->name, right->name)
                                                        ?: compare_u64(left->site, right->site)
                                                        ?: compare_names(left->way, right->way);
}

/* Rows whose blocks are in no sum have no objects. They come last. */
static void sort_rows(struct graph_sums *sums, const struct graph *graph) {
    uint32_t *now = memory_zeros(sums->count, sizeof *now);
    for (uint32_t row = 0; row < sums->count; row++)
        sums->rows[row].number = row;
    sort_list(sums->rows, sums->count, sizeof *sums->rows, by_retained);
    for (uint32_t row = 0; row < sums->count; row++)
        now[sums->rows[row].number] = row;
    for (size_t i = 0; i < graph->block_count; i++)
        sums->row_of[i] = now[sums->row_of[i]];
    while (sums->count && !sums->rows[sums->count - 1].objects)
        sums->count--;
    free(now);
}

static void name_places(struct graph_sums *sums, const struct graph *graph, size_t shown) {
    char text[4096];
    struct out out;
    for (size_t row = 0; row < sums->count && row < shown; row++) {
        out_open_memory(&out, text, sizeof text);
        graph_site_write(&out, graph, &graph->sites[sums->rows[row].site]);
        sums->rows[row].place = string_keep(&sums->places, text);
    }
}

void graph_sums_make(struct graph_sums *sums, const struct graph *graph,
                     const struct graph_dominators *dominators, enum graph_by by, size_t shown, bool deep) {
    *sums = (struct graph_sums){.row_of = memory_zeros(graph->block_count, sizeof *sums->row_of)};
    make_rows(sums, graph, by);
    count_all(sums, graph, dominators);
    retain_bytes(sums, graph, dominators);
    sort_rows(sums, graph);
    if (by != GRAPH_BY_TYPE)
        name_places(sums, graph, shown);
    if (deep)
        reach_all(sums, graph, shown);
}

void graph_sums_free(struct graph_sums *sums) {
    free(sums->rows);
    free(sums->row_of);
    string_pool_free(&sums->places);
}
