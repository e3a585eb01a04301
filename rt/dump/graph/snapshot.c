/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the snapshot file of a heap (allocsite-graph.5). file.c reads it. */
#include "base/hash.h"
#include "dump/graph/graph.h"

#include <string.h>

struct snapshot {
    struct out *out;
    uint64_t sum; /* of the bytes written so far */
};

static void put_byte(struct snapshot *to, unsigned char byte) {
    out_char(to->out, (char)byte);
    to->sum = fnv_1a_more(to->sum, &(char){(char)byte}, 1);
}

static void put_number(struct snapshot *to, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        put_byte(to, (unsigned char)(number | 0x80));
    put_byte(to, (unsigned char)number);
}

/* Zigzag encoding: numbers of small magnitude are short. */
static void put_signed(struct snapshot *to, int64_t number) {
    put_number(to, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

/* 0 encodes none. */
static void put_label(struct snapshot *to, uint32_t label) {
    put_number(to, label == GRAPH_NONE ? 0 : (uint64_t)label + 1);
}

static void put_text(struct snapshot *to, const char *text) {
    put_number(to, strlen(text));
    for (; *text; text++)
        put_byte(to, (unsigned char)*text);
}

static void put_head(struct snapshot *to, const struct graph *graph) {
    const struct graph_head *head = &graph->head;
    for (const char *magic = GRAPH_MAGIC; *magic; magic++)
        put_byte(to, (unsigned char)*magic);
    put_number(to, GRAPH_VERSION);
    put_number(to, head->pid);
    put_number(to, head->taken);
    put_number(to, head->stopped);
    put_label(to, head->program);
#define PUT_WORDS(name) put_number(to, head->words.name);
    GRAPH_WORDS(PUT_WORDS)
    put_number(to, graph->text_count);
    put_number(to, graph->site_count);
    put_number(to, graph->stack_count);
    put_number(to, graph->block_count);
}

static void put_site(struct snapshot *to, const struct graph_site *site) {
    put_number(to, site->id);
    put_label(to, site->function);
    put_label(to, site->file);
    put_label(to, site->module);
    put_label(to, site->type);
    put_number(to, site->line);
    put_number(to, site->column);
    put_number(to, site->is_uncounted);
}

/* The first number of an edge is never 0, because 0 ends a block. */
static void put_edges(struct snapshot *to, const struct graph *graph, size_t block) {
    uint32_t offset = 0;
    for (uint32_t i = graph->blocks[block].edges; i < graph->blocks[block + 1].edges; i++) {
        const struct graph_edge *edge = &graph->edges[i];
        uint64_t label = edge->label == GRAPH_NONE ? 0 : (uint64_t)edge->label + 1;
        put_number(to, (label << 2 | edge->flags) + 1);
        put_signed(to, (int64_t)edge->offset - offset);
        put_signed(to, (int64_t)edge->to - (int64_t)block);
        offset = edge->offset;
    }
    put_number(to, 0);
}

static void put_blocks(struct snapshot *to, const struct graph *graph) {
    uint64_t address = 0;
    for (size_t i = 0; i < graph->block_count; i++) {
        const struct graph_block *block = &graph->blocks[i];
        put_number(to, block->address - address);
        put_number(to, block->size);
        put_number(to, block->site);
        if (graph->stack_count)
            put_label(to, graph->stack_of ? graph->stack_of[i] : GRAPH_NONE);
        put_edges(to, graph, i);
        address = block->address;
    }
}

static void put_root(struct snapshot *to, const struct graph_root *root) {
    put_number(to, (uint64_t)root->kind + 1);
    put_number(to, root->to);
    put_number(to, root->thread);
    put_label(to, root->label);
    put_number(to, root->offset);
}

static void put_contents(struct snapshot *to, const struct graph *graph) {
    uint32_t block = 0;
    for (size_t i = 0; i < graph->content_count; i++) {
        put_number(to, (uint64_t)graph->contents[i].block - block + 1);
        put_text(to, graph->contents[i].text);
        block = graph->contents[i].block;
    }
    put_number(to, 0);
}

void graph_write(struct out *out, const struct graph *graph) {
    struct snapshot to = {.out = out, .sum = FNV_1A_BASIS};
    put_head(&to, graph);
    for (size_t i = 0; i < graph->text_count; i++)
        put_text(&to, graph->texts[i]);
    for (size_t i = 0; i < graph->site_count; i++)
        put_site(&to, &graph->sites[i]);
    for (size_t i = 0; i < graph->stack_count; i++)
        put_label(&to, graph->stacks[i].way);
    put_blocks(&to, graph);
    for (size_t i = 0; i < graph->root_count; i++)
        put_root(&to, &graph->roots[i]);
    put_number(&to, 0);
    put_contents(&to, graph);
    for (unsigned byte = 0; byte < GRAPH_SUM_SIZE; byte++)
        out_char(out, (char)(to.sum >> 8 * byte));
}
