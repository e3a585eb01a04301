/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the snapshot file of a heap. */
#include "dump/graph/snapshot.h"

#include "base/hash.h"

#include <string.h>

static void put_byte(struct snapshot *to, unsigned char byte) {
    out_char(to->out, (char)byte);
    to->sum = fnv_1a_more(to->sum, &(char){(char)byte}, 1);
}

static void put(struct snapshot *to, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        put_byte(to, (unsigned char)(number | 0x80));
    put_byte(to, (unsigned char)number);
}

/* Zigzag encoding: numbers of small magnitude are short. */
static void put_signed(struct snapshot *to, int64_t number) {
    put(to, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

/* 0 encodes none. */
static void put_label(struct snapshot *to, uint32_t label) {
    put(to, label == GRAPH_NONE ? 0 : (uint64_t)label + 1);
}

void snapshot_begin(struct snapshot *to, struct out *out, const struct graph_head *head,
                    const struct snapshot_counts *counts) {
    *to = (struct snapshot){.out = out, .sum = FNV_1A_BASIS, .block = UINT32_MAX};
    for (const char *magic = GRAPH_MAGIC; *magic; magic++)
        put_byte(to, (unsigned char)*magic);
    put(to, GRAPH_VERSION);
    put(to, head->pid);
    put(to, head->taken);
    put(to, head->stopped);
    put_label(to, head->program);
#define PUT_WORDS(name) put(to, head->words.name);
    GRAPH_WORDS(PUT_WORDS)
    put(to, counts->texts);
    put(to, counts->sites);
    put(to, counts->stacks);
    put(to, counts->blocks);
    to->has_stacks = counts->stacks;
}

void snapshot_text(struct snapshot *to, const char *text) {
    put(to, strlen(text));
    for (; *text; text++)
        put_byte(to, (unsigned char)*text);
}

void snapshot_site(struct snapshot *to, const struct graph_site *site) {
    put(to, site->id);
    put_label(to, site->function);
    put_label(to, site->file);
    put_label(to, site->module);
    put_label(to, site->type);
    put(to, site->line);
    put(to, site->column);
    put(to, site->is_uncounted);
}

void snapshot_stack(struct snapshot *to, const struct graph_stack *stack) {
    put_label(to, stack->way);
}

void snapshot_block(struct snapshot *to, const struct graph_block *block, uint32_t stack) {
    put(to, block->address - to->address);
    put(to, block->size);
    put(to, block->site);
    if (to->has_stacks)
        put_label(to, stack);
    to->address = block->address;
    to->block++;
    to->offset = 0;
}

/* The first number is never 0, because 0 ends a block. */
void snapshot_edge(struct snapshot *to, const struct graph_edge *edge) {
    put(to, ((edge->label == GRAPH_NONE ? 0 : (uint64_t)edge->label + 1) << 2 | edge->flags) + 1);
    put_signed(to, (int64_t)edge->offset - to->offset);
    put_signed(to, (int64_t)edge->to - (int64_t)to->block);
    to->offset = edge->offset;
}

void snapshot_block_end(struct snapshot *to) {
    put(to, 0);
}

void snapshot_root(struct snapshot *to, const struct graph_root *root) {
    put(to, (uint64_t)root->kind + 1);
    put(to, root->to);
    put(to, root->thread);
    put_label(to, root->label);
    put(to, root->offset);
}

void snapshot_roots_end(struct snapshot *to) {
    put(to, 0);
    to->block = 0;
}

void snapshot_content(struct snapshot *to, const struct graph_content *content) {
    put(to, (uint64_t)content->block - to->block + 1);
    snapshot_text(to, content->text);
    to->block = content->block;
}

void snapshot_end(struct snapshot *to) {
    put(to, 0);
    for (unsigned byte = 0; byte < GRAPH_SUM_SIZE; byte++)
        out_char(to->out, (char)(to->sum >> 8 * byte));
}
