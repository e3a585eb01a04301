/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws nodes and edges for Mermaid and Graphviz. */
#include "dump/base/memory.h"
#include "dump/graph/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes text in quotes. Characters that Mermaid takes for markup become entities. */
static void put_quoted(const struct diagram *diagram, const char *text) {
    static const char special[] = "\"<>#";
    static const char *const entities[] = {"#quot;", "#lt;", "#gt;", "#35;"};
    out_char(diagram->out, '"');
    while (*text) {
        const char *found = strchr(special, *text);
        if (diagram->is_dot && (*text == '"' || *text == '\\'))
            out_char(diagram->out, '\\');
        if (found && !diagram->is_dot) {
            out_text(diagram->out, entities[found - special]);
            text++;
        } else {
            text += out_plain_character(diagram->out, text);
        }
    }
    out_char(diagram->out, '"');
}

static void diagram_begin(const struct diagram *diagram) {
    out_text(diagram->out,
             diagram->is_dot ? "digraph heap {\n  rankdir=LR;\n  node [shape=box];\n" : "graph LR\n");
}

static void put_id(const struct diagram *diagram, uint64_t id) {
    out_print(diagram->out, "n%lu", id);
}

static void diagram_node(const struct diagram *diagram, uint64_t id, const char *text) {
    out_text(diagram->out, "  ");
    put_id(diagram, id);
    out_text(diagram->out, diagram->is_dot ? " [label=" : "[");
    put_quoted(diagram, text);
    out_text(diagram->out, diagram->is_dot ? "];\n" : "]\n");
}

static void diagram_edge(const struct diagram *diagram, uint64_t from, uint64_t to, const char *text) {
    out_text(diagram->out, "  ");
    put_id(diagram, from);
    out_text(diagram->out, diagram->is_dot ? " -> " : " -- ");
    if (diagram->is_dot) {
        put_id(diagram, to);
        out_text(diagram->out, " [label=");
        put_quoted(diagram, text);
        out_text(diagram->out, "];\n");
        return;
    }
    put_quoted(diagram, text);
    out_text(diagram->out, " --> ");
    put_id(diagram, to);
    out_char(diagram->out, '\n');
}

static void diagram_end(const struct diagram *diagram) {
    if (diagram->is_dot)
        out_text(diagram->out, "}\n");
}

/* ---- Single objects, backwards. */

struct objects {
    const struct graph *graph;
    struct graph_back back;
    struct diagram diagram;
    struct number_map levels; /* level of each block that has a node */
    uint32_t queue[DIAGRAM_NODES];
    size_t edges;
};

/* False: the picture is full. */
static bool add_node(struct objects *objects, uint32_t block, unsigned level) {
    char text[600];
    if (number_map_find(&objects->levels, block))
        return true;
    if (objects->levels.count == DIAGRAM_NODES)
        return false;
    objects->queue[objects->levels.count] = block;
    number_map_add(&objects->levels, block, level);
    const char *content = graph_content_of(objects->graph, block);
    snprintf(text, sizeof text, "0x%llx %s%s%s", (unsigned long long)objects->graph->blocks[block].address,
             graph_type_name(objects->graph, block), content ? ": " : "", content ?: "");
    diagram_node(&objects->diagram, block, text);
    return true;
}

static void name_edge(char *text, size_t size, const struct graph *graph, const struct graph_edge *edge,
                      unsigned level) {
    const char *field = graph_text(graph, edge->label);
    if (field)
        snprintf(text, size, "%s,%u", field, level);
    else
        snprintf(text, size, "+%u,%u", edge->offset, level);
}

static void add_holders(struct objects *objects, uint32_t block, unsigned level) {
    const struct graph_back *back = &objects->back;
    char text[300];
    for (uint32_t i = back->first[block]; i < back->first[block + 1]; i++) {
        const struct graph_edge *edge = &objects->graph->edges[back->list[i].edge];
        if (objects->edges == DIAGRAM_EDGES || !add_node(objects, back->list[i].from, level))
            return;
        name_edge(text, sizeof text, objects->graph, edge, level);
        diagram_edge(&objects->diagram, back->list[i].from, block, text);
        objects->edges++;
    }
}

void graph_show_objects(struct out *out, const struct graph *graph, const char *type, unsigned levels,
                        size_t limit, bool is_dot) {
    struct objects objects = {.graph = graph, .diagram = {out, is_dot}};
    struct graph_asked asked;
    size_t found = 0;
    graph_asked_find(&asked, graph, type);
    graph_back_make(&objects.back, graph);
    diagram_begin(&objects.diagram);
    for (uint32_t i = 0; i < graph->block_count && found < limit; i++)
        if (asked.sites[graph->blocks[i].site])
            found += add_node(&objects, i, 0);
    for (size_t i = 0; i < objects.levels.count; i++) {
        unsigned level = (unsigned)*number_map_find(&objects.levels, objects.queue[i]);
        if (level < levels)
            add_holders(&objects, objects.queue[i], level + 1);
    }
    diagram_end(&objects.diagram);
    graph_asked_free(&asked);
    number_map_free(&objects.levels);
    graph_back_free(&objects.back);
}

/* ---- Types, backwards. */

struct types {
    struct diagram diagram;
    struct string_pool nodes;
    size_t levels[DIAGRAM_NODES];
    size_t edges;
};

static bool add_type(struct types *types, const char *name, size_t level, size_t *node) {
    size_t before = types->nodes.count;
    *node = string_number(&types->nodes, name);
    if (*node < before)
        return true;
    if (*node >= DIAGRAM_NODES)
        return false;
    types->levels[*node] = level;
    diagram_node(&types->diagram, *node, name);
    return true;
}

/* A root that is a variable is a node of its own. */
static const char *node_name(const struct graph_holder *holder) {
    return holder->is_root && holder->field ? holder->field : holder->from;
}

static void add_reference(struct types *types, const struct graph_holder *holder, size_t to, size_t level) {
    char text[300];
    size_t from;
    if (types->edges == DIAGRAM_EDGES || types->nodes.count >= DIAGRAM_NODES ||
        !add_type(types, node_name(holder), level, &from))
        return;
    const char *field = holder->is_root ? "" : holder->field ?: "?";
    snprintf(text, sizeof text, "%s %llu", field, (unsigned long long)holder->references);
    diagram_edge(&types->diagram, from, to, text + (*text == ' '));
    types->edges++;
}

static void add_asked(struct types *types, const struct graph *graph, const struct graph_asked *asked) {
    size_t node;
    for (size_t i = 0; i < graph->site_count; i++)
        if (asked->sites[i])
            add_type(types, graph_text(graph, graph->sites[i].type) ?: GRAPH_NO_TYPE, 0, &node);
}

static void draw_types(struct out *out, const struct graph *graph, const struct graph_asked *asked,
                       unsigned levels, bool is_dot) {
    struct types types = {.diagram = {out, is_dot}};
    struct graph_holders holders;
    graph_holders_find(&holders, graph, NULL);
    diagram_begin(&types.diagram);
    add_asked(&types, graph, asked);
    for (size_t node = 0; node < types.nodes.count && node < DIAGRAM_NODES; node++)
        for (size_t i = 0; i < holders.count && types.levels[node] < levels; i++)
            if (strcmp(holders.list[i].to, types.nodes.list[node]) == 0)
                add_reference(&types, &holders.list[i], node, types.levels[node] + 1);
    diagram_end(&types.diagram);
    graph_holders_free(&holders);
    string_pool_free(&types.nodes);
}

void graph_show_holders(struct out *out, const struct graph *graph, const char *type, size_t shown,
                        unsigned levels, enum graph_format format) {
    struct graph_asked asked;
    graph_asked_find(&asked, graph, type);
    if (format == GRAPH_MERMAID || format == GRAPH_DOT)
        draw_types(out, graph, &asked, levels, format == GRAPH_DOT);
    else
        graph_table_holders(out, graph, &asked, type, shown, format);
    graph_asked_free(&asked);
}
