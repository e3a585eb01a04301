/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a graph as a heap snapshot of V8, which Chrome's DevTools open. V8's
 * src/profiler/heap-snapshot-generator.cc defines the format. The type of a node is what DevTools call a
 * constructor.
 *
 * Node 0 holds all roots: one node for the variables, one for the stack, registers and thread-local memory of
 * each thread, and one for leaked blocks. References from leaked blocks to others are weak, the format's term
 * for references that keep nothing alive.
 *
 * DevTools show where an object was allocated only if the file's name ends in .heaptimeline. */
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/graph/show.h"
#include "dump/graph/traces.h"

#include <stdlib.h>

enum node_type { NODE_STRING = 2, NODE_OBJECT = 3, NODE_SYNTHETIC = 9 };
enum edge_type { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_WEAK = 6 };
enum { NODE_FIELDS = 7 };

static const char meta[] =
    "{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_id\","
    "\"detachedness\"],"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\","
    "\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\","
    "\"object shape\"],\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],"
    "\"string_or_number\",\"node\"],"
    "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\",\"line\","
    "\"column\"],"
    "\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"],"
    "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]}";

/* The roots that share a node. */
struct holder {
    const struct graph_root *first; /* NULL: the node of leaked blocks */
    size_t count;
};

struct snapshot_view {
    struct json json;
    const struct graph *graph;
    const struct graph_dominators *dominators;
    struct traces traces;
    struct graph_root *roots; /* by kind and thread */
    struct holder *holders;
    size_t holder_count;
    uint32_t *heads; /* leaked blocks that no other block dominates */
    size_t head_count;
};

/* ---- Roots and leaked blocks. */

static int by_source(const void *a, const void *b) {
    const struct graph_root *left = a, *right = b;
    return compare_u64(left->kind, right->kind) ?: compare_u64(left->thread, right->thread)
                                                ?: compare_u64(left->to, right->to);
}

static bool is_same_source(const struct graph_root *a, const struct graph_root *b) {
    return a->kind == b->kind && a->thread == b->thread;
}

static void make_holders(struct snapshot_view *view) {
    const struct graph *graph = view->graph;
    view->roots = memory_zeros(graph->root_count, sizeof *view->roots);
    view->holders = memory_zeros(graph->root_count + 1, sizeof *view->holders);
    for (size_t i = 0; i < graph->root_count; i++)
        view->roots[i] = graph->roots[i];
    qsort(view->roots, graph->root_count, sizeof *view->roots, by_source);
    for (size_t i = 0; i < graph->root_count; i++) {
        if (!i || !is_same_source(&view->roots[i - 1], &view->roots[i]))
            view->holders[view->holder_count++].first = &view->roots[i];
        view->holders[view->holder_count - 1].count++;
    }
}

static void make_heads(struct snapshot_view *view) {
    const struct graph_dominators *dominators = view->dominators;
    view->heads = memory_zeros(view->graph->block_count, sizeof *view->heads);
    for (uint32_t i = 0; i < view->graph->block_count; i++)
        if (dominators->is_leaked[i] && dominators->dominator[i] == GRAPH_NONE)
            view->heads[view->head_count++] = i;
    if (view->head_count)
        view->holders[view->holder_count++] = (struct holder){NULL, view->head_count};
}

/* ---- Numbers of nodes and strings. The graph's strings come first, then two fixed ones, the names of the
 * holders, the contents of blocks, and the strings of traces. */

enum { TEXT_ROOT, TEXT_NO_TYPE, TEXTS };

static uint64_t text_number(const struct snapshot_view *view, unsigned text) {
    return view->graph->text_count + text;
}

/* The file refers to a node by the index of its first field in the array. */
static uint64_t node_of_holder(size_t holder) {
    return (1 + holder) * NODE_FIELDS;
}

static uint64_t node_of_block(const struct snapshot_view *view, size_t block) {
    return (1 + view->holder_count + block) * NODE_FIELDS;
}

/* ---- Nodes, edges and traces. */

static void put_number(struct snapshot_view *view, uint64_t number) {
    json_number(&view->json, NULL, number);
}

static void put_node(struct snapshot_view *view, enum node_type type, uint64_t name, uint64_t place,
                     uint64_t size, uint64_t edges, uint64_t trace) {
    const uint64_t most = UINT32_MAX; /* the largest size that DevTools accept */
    json_line(&view->json);
    put_number(view, type);
    put_number(view, name);
    put_number(view, place / NODE_FIELDS * 2 + 1); /* id of the node */
    put_number(view, size < most ? size : most);
    put_number(view, edges);
    put_number(view, trace);
    put_number(view, 0);
}

/* Trace id 0 means none. */
static uint64_t id_of_trace(uint32_t node) {
    return (uint64_t)node + 1;
}

/* The node's name is the block's text if known, else its type. content: index of the next content;
 * advances. */
static void put_block(struct snapshot_view *view, size_t block, size_t *content) {
    const struct graph *graph = view->graph;
    uint32_t type = graph_site_of(graph, block)->type;
    bool has_content = *content < graph->content_count && graph->contents[*content].block == block;
    uint64_t name = type == GRAPH_NONE ? text_number(view, TEXT_NO_TYPE) : type;
    if (has_content)
        name = text_number(view, TEXTS) + view->holder_count + (*content)++;
    put_node(view, has_content ? NODE_STRING : NODE_OBJECT, name, node_of_block(view, block),
             graph_self(graph, block), graph->blocks[block + 1].edges - graph->blocks[block].edges,
             id_of_trace(view->traces.node_of[block]));
}

static void put_nodes(struct snapshot_view *view) {
    const struct graph *graph = view->graph;
    put_node(view, NODE_SYNTHETIC, text_number(view, TEXT_ROOT), 0, 0, view->holder_count, 0);
    for (size_t i = 0; i < view->holder_count; i++)
        put_node(view, NODE_SYNTHETIC, text_number(view, TEXTS + (unsigned)i), node_of_holder(i), 0,
                 view->holders[i].count, 0);
    for (size_t i = 0, content = 0; i < graph->block_count; i++)
        put_block(view, i, &content);
}

static void put_edge(struct snapshot_view *view, enum edge_type type, uint64_t name, uint64_t to) {
    put_number(view, type);
    put_number(view, name);
    put_number(view, to);
}

/* An edge from a leaked block to a reachable one is weak. Elements have a number, all other edges a
 * string. */
static void put_edge_of_block(struct snapshot_view *view, size_t block, const struct graph_edge *edge) {
    const bool *is_leaked = view->dominators->is_leaked;
    bool is_weak = is_leaked[block] && !is_leaked[edge->to], has_label = edge->label != GRAPH_NONE;
    uint64_t unnamed = is_weak ? text_number(view, TEXT_ROOT) : edge->offset;
    put_edge(view,
             is_weak     ? EDGE_WEAK
             : has_label ? EDGE_PROPERTY
                         : EDGE_ELEMENT,
             has_label ? edge->label : unnamed, node_of_block(view, edge->to));
}

static void put_edges_of_holder(struct snapshot_view *view, const struct holder *holder) {
    for (size_t i = 0; i < holder->count; i++) {
        const struct graph_root *root = holder->first ? &holder->first[i] : NULL;
        bool has_name = root && root->label != GRAPH_NONE;
        put_edge(view, has_name ? EDGE_PROPERTY : EDGE_ELEMENT, has_name ? root->label : i,
                 node_of_block(view, root ? root->to : view->heads[i]));
    }
}

static void put_edges(struct snapshot_view *view) {
    const struct graph *graph = view->graph;
    for (size_t i = 0; i < view->holder_count; i++)
        put_edge(view, EDGE_ELEMENT, i, node_of_holder(i));
    for (size_t i = 0; i < view->holder_count; i++)
        put_edges_of_holder(view, &view->holders[i]);
    for (size_t i = 0; i < graph->block_count; i++) {
        json_line(&view->json);
        for (uint32_t edge = graph->blocks[i].edges; edge < graph->blocks[i + 1].edges; edge++)
            put_edge_of_block(view, i, &graph->edges[edge]);
    }
}

static void put_text(struct snapshot_view *view, const char *text) {
    json_line(&view->json);
    json_text(&view->json, NULL, text);
}

static void put_texts(struct snapshot_view *view) {
    char name[64];
    for (size_t i = 0; i < view->graph->text_count; i++)
        put_text(view, view->graph->texts[i]);
    put_text(view, "");
    put_text(view, GRAPH_NO_TYPE);
    for (size_t i = 0; i < view->holder_count; i++) {
        const struct graph_root *first = view->holders[i].first;
        struct graph_root root = {
            .label = GRAPH_NONE, .kind = first ? first->kind : 0, .thread = first ? first->thread : 0};
        graph_root_name(name, sizeof name, view->graph, &root);
        put_text(view, first ? name : "leaked");
    }
    for (size_t i = 0; i < view->graph->content_count; i++)
        put_text(view, view->graph->contents[i].text);
    for (size_t i = 0; i < view->traces.texts.count; i++)
        put_text(view, view->traces.texts.list[i]);
}

static void put_functions(struct snapshot_view *view) {
    const struct graph *graph = view->graph;
    uint64_t texts = text_number(view, TEXTS) + view->holder_count + graph->content_count;
    for (size_t i = 0; i < view->traces.function_count; i++) {
        const struct trace_function *function = &view->traces.functions[i];
        put_number(view, i);
        put_number(view, texts + function->name);
        put_number(view, texts + function->file);
        put_number(view, function->file);
        put_number(view, function->line);
        put_number(view, function->column);
    }
}

static void begin_trace(struct snapshot_view *view, uint32_t number) {
    const struct trace_node *node = &view->traces.nodes[number];
    put_number(view, id_of_trace(number));
    put_number(view, node->function);
    put_number(view, node->count);
    put_number(view, node->size);
    json_open(&view->json, NULL, '[');
}

/* Closes a node and each ancestor whose last child it is. Returns the topmost closed node. */
static uint32_t end_traces(struct snapshot_view *view, uint32_t at) {
    const struct trace_node *nodes = view->traces.nodes;
    json_close(&view->json, ']');
    while (at && !nodes[at].sibling) {
        at = nodes[at].parent;
        json_close(&view->json, ']');
    }
    return at;
}

/* Iterative, because the tree is as deep as the stacks. */
static void put_traces(struct snapshot_view *view) {
    const struct trace_node *nodes = view->traces.nodes;
    uint32_t at = 0, next;
    do {
        begin_trace(view, at);
        next = nodes[at].first_child;
        at = next ? next : nodes[end_traces(view, at)].sibling;
    } while (at);
}

static void put_array(struct snapshot_view *view, const char *key, void (*put)(struct snapshot_view *)) {
    json_open_line(&view->json, key, '[');
    if (put)
        put(view);
    json_close(&view->json, ']');
}

static uint64_t edge_count(const struct snapshot_view *view) {
    uint64_t count = view->holder_count + view->graph->edge_count;
    for (size_t i = 0; i < view->holder_count; i++)
        count += view->holders[i].count;
    return count;
}

static void put_head(struct snapshot_view *view) {
    struct json *json = &view->json;
    json_open(json, NULL, '{');
    json_open(json, "snapshot", '{');
    json_key(json, "meta");
    out_text(json->out, meta);
    json_number(json, "node_count", 1 + view->holder_count + view->graph->block_count);
    json_number(json, "edge_count", edge_count(view));
    json_number(json, "trace_function_count", view->traces.function_count);
    json_close(json, '}');
}

void graph_show_heapsnapshot(struct out *out, const struct graph *graph,
                             const struct graph_dominators *dominators) {
    struct snapshot_view view = {.json.out = out, .graph = graph, .dominators = dominators};
    make_holders(&view);
    make_heads(&view);
    traces_make(&view.traces, graph);
    put_head(&view);
    put_array(&view, "nodes", put_nodes);
    put_array(&view, "edges", put_edges);
    put_array(&view, "trace_function_infos", put_functions);
    put_array(&view, "trace_tree", put_traces);
    put_array(&view, "samples", NULL);
    put_array(&view, "locations", NULL);
    put_array(&view, "strings", put_texts);
    json_end(&view.json);
    free(view.roots);
    free(view.holders);
    free(view.heads);
    traces_free(&view.traces);
}
