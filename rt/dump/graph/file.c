/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the snapshot file (allocsite-graph.5). snapshot.c writes it. */
#include "base/arrays.h"
#include "base/hash.h"
#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "dump/graph/graph.h"

#include <stdlib.h>
#include <string.h>

uint64_t graph_most = UINT32_MAX - 1;

bool graph_is_full(struct reason *why) {
    return reason_set(why, "has more than %llu blocks or references, the limit",
                      (unsigned long long)graph_most);
}

void graph_free(struct graph *graph) {
    for (size_t i = 0; i < graph->text_count; i++)
        free(graph->texts[i]);
    free(graph->texts);
    free(graph->sites);
    free(graph->stacks);
    free(graph->blocks);
    free(graph->stack_of);
    free(graph->edges);
    free(graph->roots);
    free(graph->contents);
}

static int compare_block(const void *block, const void *content) {
    return compare_u64(*(const size_t *)block, ((const struct graph_content *)content)->block);
}

const char *graph_content_of(const struct graph *graph, size_t block) {
    size_t first =
        sorted_before(graph->contents, graph->content_count, sizeof *graph->contents, &block, compare_block);
    bool is_known = first < graph->content_count && graph->contents[first].block == block;
    return is_known ? graph->contents[first].text : NULL;
}

struct reader {
    const unsigned char *at, *end;
    bool is_wrong, is_full;
};

static uint64_t reader_number(struct reader *reader) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (reader->at == reader->end)
            break;
        unsigned char byte = *reader->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    reader->is_wrong = true;
    return 0;
}

static int64_t get_signed(struct reader *reader) {
    uint64_t number = reader_number(reader);
    return (int64_t)(number >> 1 ^ -(number & 1));
}

/* A number below the limit. */
static uint32_t get_below(struct reader *reader, uint64_t limit) {
    uint64_t number = reader_number(reader);
    reader->is_wrong |= number >= limit || number > UINT32_MAX;
    return reader->is_wrong ? 0 : (uint32_t)number;
}

/* A number below count, encoded plus one; 0 encodes GRAPH_NONE. */
static uint32_t get_number(struct reader *reader, uint64_t count) {
    uint32_t number = get_below(reader, count + 1);
    return number ? number - 1 : GRAPH_NONE;
}

static uint32_t get_label(struct reader *reader, const struct graph *graph) {
    return get_number(reader, graph->text_count);
}

/* Each element takes at least a byte, so a count above the remaining bytes is wrong. This check bounds the
 * memory. */
static size_t get_count(struct reader *reader) {
    uint64_t count = reader_number(reader);
    reader->is_wrong |= count > (uint64_t)(reader->end - reader->at) || count >= UINT32_MAX;
    return reader->is_wrong ? 0 : count;
}

static void get_counts(struct reader *reader, struct graph *graph) {
    graph->text_count = get_count(reader);
    graph->site_count = get_count(reader);
    graph->stack_count = get_count(reader);
    graph->block_count = get_count(reader);
    reader->is_full = graph->block_count > graph_most;
}

static void get_head(struct reader *reader, struct graph *graph) {
    struct graph_head *head = &graph->head;
    head->pid = reader_number(reader);
    head->taken = reader_number(reader);
    head->stopped = reader_number(reader);
    uint64_t program = reader_number(reader);
#define GET_WORDS(name) head->words.name = reader_number(reader);
    GRAPH_WORDS(GET_WORDS)
    get_counts(reader, graph);
    reader->is_wrong |= program > graph->text_count;
    head->program = program && !reader->is_wrong ? (uint32_t)program - 1 : GRAPH_NONE;
}

static void make_room(struct graph *graph) {
    graph->texts = memory_zeros(graph->text_count, sizeof *graph->texts);
    graph->sites = memory_zeros(graph->site_count, sizeof *graph->sites);
    graph->stacks = memory_zeros(graph->stack_count, sizeof *graph->stacks);
    graph->blocks = memory_zeros(graph->block_count + 1, sizeof *graph->blocks);
    if (graph->stack_count)
        graph->stack_of = memory_zeros(graph->block_count, sizeof *graph->stack_of);
}

static char *get_text(struct reader *reader) {
    size_t length = get_count(reader);
    char *text = memory_zeros(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)*reader->at++;
    return text;
}

static void get_site(struct reader *reader, const struct graph *graph, struct graph_site *site) {
    site->id = reader_number(reader);
    site->function = get_label(reader, graph);
    site->file = get_label(reader, graph);
    site->module = get_label(reader, graph);
    site->type = get_label(reader, graph);
    site->line = get_below(reader, UINT32_MAX);
    site->column = get_below(reader, UINT32_MAX);
    site->is_uncounted = get_below(reader, 2);
}

/* first: label and flags of the edge plus 1. */
static void get_edge(struct reader *reader, struct graph *graph, size_t block, uint64_t first,
                     uint32_t *offset) {
    int64_t at = *offset + get_signed(reader), to = (int64_t)block + get_signed(reader);
    uint64_t label = first - 1;
    reader->is_wrong |= at < 0 || at > UINT32_MAX || to < 0 || (uint64_t)to >= graph->block_count ||
                        label >> 2 > graph->text_count || graph->edge_count == graph_most;
    reader->is_full |= graph->edge_count == graph_most;
    if (reader->is_wrong)
        return;
    *offset = (uint32_t)at;
    memory_grow(&graph->edges, graph->edge_count, &graph->edge_capacity, sizeof *graph->edges);
    graph->edges[graph->edge_count++] = (struct graph_edge){
        (uint32_t)to, label >> 2 ? (uint32_t)(label >> 2) - 1 : GRAPH_NONE, (uint32_t)at, label & 3};
}

static void get_edges(struct reader *reader, struct graph *graph, size_t block) {
    uint32_t offset = 0;
    uint64_t first;
    while ((first = reader_number(reader)) && !reader->is_wrong)
        get_edge(reader, graph, block, first, &offset);
}

static void get_blocks(struct reader *reader, struct graph *graph) {
    uint64_t address = 0;
    for (size_t i = 0; i < graph->block_count && !reader->is_wrong; i++) {
        struct graph_block *block = &graph->blocks[i];
        if (i % GRAPH_STEP == 0)
            progress_show("blocks read", i, graph->block_count);
        reader->is_wrong |= __builtin_add_overflow(address, reader_number(reader), &address);
        uint64_t size = reader_number(reader);
        *block = (struct graph_block){address, size, get_below(reader, graph->site_count),
                                      (uint32_t)graph->edge_count};
        if (graph->stack_of)
            graph->stack_of[i] = get_number(reader, graph->stack_count);
        reader->is_wrong |= size > UINT64_MAX - address;
        get_edges(reader, graph, i);
    }
    graph->blocks[graph->block_count].edges = (uint32_t)graph->edge_count;
}

static void get_root(struct reader *reader, struct graph *graph, uint64_t first) {
    struct graph_root root = {.kind = (uint32_t)first - 1, .to = get_below(reader, graph->block_count)};
    reader->is_wrong |= first > GRAPH_ROOT_KINDS;
    root.thread = get_below(reader, UINT32_MAX);
    root.label = get_label(reader, graph);
    root.offset = reader_number(reader);
    memory_grow(&graph->roots, graph->root_count, &graph->root_capacity, sizeof *graph->roots);
    graph->roots[graph->root_count++] = root;
}

static void get_roots(struct reader *reader, struct graph *graph) {
    uint64_t first;
    while ((first = reader_number(reader)) && !reader->is_wrong)
        get_root(reader, graph, first);
}

static void get_content(struct reader *reader, struct graph *graph, uint64_t block) {
    size_t length = get_count(reader);
    reader->is_wrong |= block >= graph->block_count || length > GRAPH_CONTENT_SIZE;
    if (reader->is_wrong)
        return;
    memory_grow(&graph->contents, graph->content_count, &graph->content_capacity, sizeof *graph->contents);
    struct graph_content *content = &graph->contents[graph->content_count++];
    content->block = (uint32_t)block;
    memset(content->text, 0, sizeof content->text);
    memcpy(content->text, reader->at, length);
    reader->at += length;
}

static void get_contents(struct reader *reader, struct graph *graph) {
    uint64_t block = 0, first;
    while ((first = reader_number(reader)) && !reader->is_wrong) {
        reader->is_wrong |= first > graph->block_count;
        get_content(reader, graph, block += first - 1);
    }
}

static void get_all(struct reader *reader, struct graph *graph) {
    for (size_t i = 0; i < graph->text_count; i++)
        graph->texts[i] = get_text(reader);
    for (size_t i = 0; i < graph->site_count; i++)
        get_site(reader, graph, &graph->sites[i]);
    for (size_t i = 0; i < graph->stack_count; i++)
        graph->stacks[i].way = get_label(reader, graph);
    get_blocks(reader, graph);
    get_roots(reader, graph);
    get_contents(reader, graph);
    reader->is_wrong |= reader->at != reader->end;
}

static bool graph_is_file(const char *bytes, size_t size) {
    return size >= strlen(GRAPH_MAGIC) && memcmp(bytes, GRAPH_MAGIC, strlen(GRAPH_MAGIC)) == 0;
}

/* True if the checksum after the bytes is correct. */
static bool has_sum(const char *bytes, size_t size) {
    uint64_t sum = 0;
    for (unsigned byte = 0; byte < GRAPH_SUM_SIZE; byte++)
        sum |= (uint64_t)(unsigned char)bytes[size + byte] << 8 * byte;
    return sum == fnv_1a(bytes, size);
}

bool graph_read(struct graph *graph, const char *bytes, size_t size, struct reason *why) {
    struct reader reader = {.at = (const unsigned char *)bytes};
    *graph = (struct graph){.head.program = GRAPH_NONE};
    if (!graph_is_file(bytes, size))
        return reason_set(why, "is not a snapshot of a heap (allocsite-dump graph PID -o FILE writes one)");
    if (size < strlen(GRAPH_MAGIC) + GRAPH_SUM_SIZE || !has_sum(bytes, size - GRAPH_SUM_SIZE))
        return reason_set(why, "is damaged or incomplete");
    reader.end = reader.at + size - GRAPH_SUM_SIZE;
    reader.at += strlen(GRAPH_MAGIC);
    uint64_t version = reader_number(&reader);
    if (version != GRAPH_VERSION && !reader.is_wrong)
        return reason_set(why, "is a snapshot of version %llu; this allocsite-dump reads version %d",
                          (unsigned long long)version, GRAPH_VERSION);
    get_head(&reader, graph);
    if (reader.is_wrong || reader.is_full)
        return reader.is_full ? graph_is_full(why) : reason_set(why, "is damaged or incomplete");
    make_room(graph);
    get_all(&reader, graph);
    if (!reader.is_wrong)
        return true;
    graph_free(graph);
    return reader.is_full ? graph_is_full(why) : reason_set(why, "is damaged or incomplete");
}
