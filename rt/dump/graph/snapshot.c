/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the snapshot file of a heap. */
#include "dump/graph/snapshot.h"

#include "base/hash.h"

#include <string.h>

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

void snapshot_begin(struct snapshot *to, struct out *out, const struct graph_head *head,
                    const struct snapshot_counts *counts) {
    *to = (struct snapshot){.out = out, .sum = FNV_1A_BASIS, .block = UINT32_MAX};
    for (const char *magic = GRAPH_MAGIC; *magic; magic++)
        put_byte(to, (unsigned char)*magic);
    put_number(to, GRAPH_VERSION);
    put_number(to, head->pid);
    put_number(to, head->taken);
    put_number(to, head->stopped);
    put_label(to, head->program);
#define PUT_WORDS(name) put_number(to, head->words.name);
    GRAPH_WORDS(PUT_WORDS)
    put_number(to, counts->texts);
    put_number(to, counts->sites);
    put_number(to, counts->stacks);
    put_number(to, counts->blocks);
    to->has_stacks = counts->stacks;
}

void snapshot_text(struct snapshot *to, const char *text) {
    put_number(to, strlen(text));
    for (; *text; text++)
        put_byte(to, (unsigned char)*text);
}

void snapshot_site(struct snapshot *to, const struct graph_site *site) {
    put_number(to, site->id);
    put_label(to, site->function);
    put_label(to, site->file);
    put_label(to, site->module);
    put_label(to, site->type);
    put_number(to, site->line);
    put_number(to, site->column);
    put_number(to, site->is_uncounted);
}

void snapshot_stack(struct snapshot *to, const struct graph_stack *stack) {
    put_label(to, stack->way);
}

void snapshot_block(struct snapshot *to, const struct graph_block *block, uint32_t stack) {
    put_number(to, block->address - to->address);
    put_number(to, block->size);
    put_number(to, block->site);
    if (to->has_stacks)
        put_label(to, stack);
    to->address = block->address;
    to->block++;
    to->offset = 0;
}

/* The first number is never 0, because 0 ends a block. */
void snapshot_edge(struct snapshot *to, const struct graph_edge *edge) {
    put_number(to, ((edge->label == GRAPH_NONE ? 0 : (uint64_t)edge->label + 1) << 2 | edge->flags) + 1);
    put_signed(to, (int64_t)edge->offset - to->offset);
    put_signed(to, (int64_t)edge->to - (int64_t)to->block);
    to->offset = edge->offset;
}

void snapshot_block_end(struct snapshot *to) {
    put_number(to, 0);
}

void snapshot_root(struct snapshot *to, const struct graph_root *root) {
    put_number(to, (uint64_t)root->kind + 1);
    put_number(to, root->to);
    put_number(to, root->thread);
    put_label(to, root->label);
    put_number(to, root->offset);
}

void snapshot_roots_end(struct snapshot *to) {
    put_number(to, 0);
    to->block = 0;
}

void snapshot_content(struct snapshot *to, const struct graph_content *content) {
    put_number(to, (uint64_t)content->block - to->block + 1);
    snapshot_text(to, content->text);
    to->block = content->block;
}

void snapshot_end(struct snapshot *to) {
    put_number(to, 0);
    for (unsigned byte = 0; byte < GRAPH_SUM_SIZE; byte++)
        out_char(to->out, (char)(to->sum >> 8 * byte));
}
