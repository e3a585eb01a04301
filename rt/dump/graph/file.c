/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The snapshot file (allocsite-graph.5): numbers of one to ten bytes, seven bits in each, the lowest first.
 * What follows one another in memory is written as distances, which take a byte or two. */
#include "base/hash.h"
#include "dump/base/memory.h"
#include "dump/graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the sum of what is written. */
struct writer {
    struct out *out;
    uint64_t sum;
};

static void put_byte(struct writer *writer, unsigned char byte) {
    out_char(writer->out, (char)byte);
    writer->sum = fnv_1a_more(writer->sum, &(char){(char)byte}, 1);
}

static void put(struct writer *writer, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        put_byte(writer, (unsigned char)(number | 0x80));
    put_byte(writer, (unsigned char)number);
}

/* Small whether it is above or below zero. */
static void put_signed(struct writer *writer, int64_t number) {
    put(writer, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

/* None is 0. */
static void put_label(struct writer *writer, uint32_t label) {
    put(writer, label == GRAPH_NONE ? 0 : (uint64_t)label + 1);
}

static void put_head(struct writer *writer, const struct graph *graph) {
    put(writer, GRAPH_VERSION);
    put(writer, graph->pid);
    put(writer, graph->taken);
    put(writer, graph->stopped);
    put_label(writer, graph->program);
#define PUT_WORDS(name) put(writer, graph->words.name);
    GRAPH_WORDS(PUT_WORDS)
    put(writer, graph->text_count);
    put(writer, graph->site_count);
    put(writer, graph->block_count);
    put(writer, graph->edge_count);
    put(writer, graph->root_count);
}

static void put_text(struct writer *writer, const char *text) {
    size_t length = strlen(text);
    put(writer, length);
    for (size_t i = 0; i < length; i++)
        put_byte(writer, (unsigned char)text[i]);
}

static void put_site(struct writer *writer, const struct graph_site *site) {
    put(writer, site->id);
    put_label(writer, site->function);
    put_label(writer, site->file);
    put_label(writer, site->module);
    put_label(writer, site->type);
    put(writer, site->line);
    put(writer, site->column);
    put(writer, site->is_uncounted);
}

static void put_edges(struct writer *writer, const struct graph *graph, size_t block) {
    uint32_t first = graph->blocks[block].edges, end = graph->blocks[block + 1].edges, offset = 0;
    put(writer, end - first);
    for (uint32_t i = first; i < end; i++) {
        const struct graph_edge *edge = &graph->edges[i];
        put_signed(writer, (int64_t)edge->offset - offset);
        put_signed(writer, (int64_t)edge->to - (int64_t)block);
        put(writer, (edge->label == GRAPH_NONE ? 0 : (uint64_t)edge->label + 1) << 2 | edge->flags);
        offset = edge->offset;
    }
}

static void put_blocks(struct writer *writer, const struct graph *graph) {
    uint64_t address = 0;
    for (size_t i = 0; i < graph->block_count; i++) {
        const struct graph_block *block = &graph->blocks[i];
        put(writer, block->address - address);
        put(writer, block->size);
        put(writer, block->site);
        put_edges(writer, graph, i);
        address = block->address;
    }
}

static void put_root(struct writer *writer, const struct graph_root *root) {
    put(writer, root->to);
    put(writer, root->kind);
    put(writer, root->thread);
    put_label(writer, root->label);
    put(writer, root->offset);
}

void graph_write(struct out *out, const struct graph *graph) {
    struct writer writer = {.out = out, .sum = FNV_1A_BASIS};
    for (const char *magic = GRAPH_MAGIC; *magic; magic++)
        put_byte(&writer, (unsigned char)*magic);
    put_head(&writer, graph);
    for (size_t i = 0; i < graph->text_count; i++)
        put_text(&writer, graph->texts[i]);
    for (size_t i = 0; i < graph->site_count; i++)
        put_site(&writer, &graph->sites[i]);
    put_blocks(&writer, graph);
    for (size_t i = 0; i < graph->root_count; i++)
        put_root(&writer, &graph->roots[i]);
    for (unsigned byte = 0; byte < GRAPH_SUM_SIZE; byte++)
        out_char(out, (char)(writer.sum >> 8 * byte));
}

/* ---- Reading it. */

void graph_free(struct graph *graph) {
    for (size_t i = 0; i < graph->text_count; i++)
        free(graph->texts[i]);
    free(graph->texts);
    free(graph->sites);
    free(graph->blocks);
    free(graph->edges);
    free(graph->roots);
}

struct reader {
    const unsigned char *at, *end;
    bool is_wrong;
};

static uint64_t get(struct reader *reader) {
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
    uint64_t number = get(reader);
    return (int64_t)(number >> 1 ^ -(number & 1));
}

/* A number below the limit. */
static uint32_t get_below(struct reader *reader, uint64_t limit) {
    uint64_t number = get(reader);
    reader->is_wrong |= number >= limit || number > UINT32_MAX;
    return reader->is_wrong ? 0 : (uint32_t)number;
}

static uint32_t get_label(struct reader *reader, const struct graph *graph) {
    uint32_t label = get_below(reader, (uint64_t)graph->text_count + 1);
    return label ? label - 1 : GRAPH_NONE;
}

/* Nothing takes less than a byte, so no more of them are made room for than there are bytes. */
static size_t get_count(struct reader *reader) {
    uint64_t count = get(reader);
    reader->is_wrong |= count > (uint64_t)(reader->end - reader->at) || count >= UINT32_MAX;
    return reader->is_wrong ? 0 : count;
}

static void get_head(struct reader *reader, struct graph *graph) {
    graph->pid = get(reader);
    graph->taken = get(reader);
    graph->stopped = get(reader);
    uint64_t program = get(reader);
#define GET_WORDS(name) graph->words.name = get(reader);
    GRAPH_WORDS(GET_WORDS)
    graph->text_count = get_count(reader);
    graph->site_count = get_count(reader);
    graph->block_count = get_count(reader);
    graph->edge_count = get_count(reader);
    graph->root_count = get_count(reader);
    reader->is_wrong |= program > graph->text_count;
    graph->program = program && !reader->is_wrong ? (uint32_t)program - 1 : GRAPH_NONE;
}

static void make_room(struct graph *graph) {
    graph->texts = memory_zeros(graph->text_count, sizeof *graph->texts);
    graph->sites = memory_zeros(graph->site_count, sizeof *graph->sites);
    graph->blocks = memory_zeros(graph->block_count, sizeof *graph->blocks);
    graph->edges = memory_zeros(graph->edge_count, sizeof *graph->edges);
    graph->roots = memory_zeros(graph->root_count, sizeof *graph->roots);
}

static char *get_text(struct reader *reader) {
    size_t length = get_count(reader);
    char *text = memory_zeros(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)*reader->at++;
    return text;
}

static void get_site(struct reader *reader, const struct graph *graph, struct graph_site *site) {
    site->id = get(reader);
    site->function = get_label(reader, graph);
    site->file = get_label(reader, graph);
    site->module = get_label(reader, graph);
    site->type = get_label(reader, graph);
    site->line = get_below(reader, UINT32_MAX);
    site->column = get_below(reader, UINT32_MAX);
    site->is_uncounted = get_below(reader, 2);
}

static void get_edge(struct reader *reader, const struct graph *graph, size_t block, uint32_t *offset,
                     struct graph_edge *edge) {
    int64_t at = *offset + get_signed(reader), to = (int64_t)block + get_signed(reader);
    uint64_t label = get(reader);
    reader->is_wrong |= at < 0 || at > UINT32_MAX || to < 0 || (uint64_t)to >= graph->block_count ||
                        label >> 2 > graph->text_count;
    if (reader->is_wrong)
        return;
    edge->to = (uint32_t)to;
    edge->offset = *offset = (uint32_t)at;
    edge->flags = label & 3;
    edge->label = label >> 2 ? (uint32_t)(label >> 2) - 1 : GRAPH_NONE;
}

static void get_blocks(struct reader *reader, struct graph *graph) {
    uint64_t address = 0;
    uint32_t edge = 0;
    for (size_t i = 0; i < graph->block_count && !reader->is_wrong; i++) {
        struct graph_block *block = &graph->blocks[i];
        reader->is_wrong |= __builtin_add_overflow(address, get(reader), &address);
        uint64_t size = get(reader);
        *block = (struct graph_block){address, size, get_below(reader, graph->site_count), edge};
        uint32_t offset = 0, count = get_below(reader, (uint64_t)graph->edge_count - edge + 1);
        reader->is_wrong |= size > UINT64_MAX - address;
        for (uint32_t end = edge + count; edge < end && !reader->is_wrong; edge++)
            get_edge(reader, graph, i, &offset, &graph->edges[edge]);
    }
    graph->blocks[graph->block_count].edges = edge;
    reader->is_wrong |= edge != graph->edge_count;
}

static void get_root(struct reader *reader, const struct graph *graph, struct graph_root *root) {
    root->to = get_below(reader, graph->block_count);
    root->kind = get_below(reader, GRAPH_ROOT_KINDS);
    root->thread = get_below(reader, UINT32_MAX);
    root->label = get_label(reader, graph);
    root->offset = get(reader);
}

static void get_all(struct reader *reader, struct graph *graph) {
    for (size_t i = 0; i < graph->text_count; i++)
        graph->texts[i] = get_text(reader);
    for (size_t i = 0; i < graph->site_count; i++)
        get_site(reader, graph, &graph->sites[i]);
    get_blocks(reader, graph);
    for (size_t i = 0; i < graph->root_count; i++)
        get_root(reader, graph, &graph->roots[i]);
    reader->is_wrong |= reader->at != reader->end;
}

bool graph_is_file(const char *bytes, size_t size) {
    return size >= strlen(GRAPH_MAGIC) && memcmp(bytes, GRAPH_MAGIC, strlen(GRAPH_MAGIC)) == 0;
}

/* Behind so many bytes. */
static bool has_sum(const char *bytes, size_t size) {
    uint64_t sum = 0;
    for (unsigned byte = 0; byte < GRAPH_SUM_SIZE; byte++)
        sum |= (uint64_t)(unsigned char)bytes[size + byte] << 8 * byte;
    return sum == fnv_1a(bytes, size);
}

bool graph_read(struct graph *graph, const char *bytes, size_t size, struct reason *why) {
    struct reader reader = {.at = (const unsigned char *)bytes};
    *graph = (struct graph){.program = GRAPH_NONE};
    if (!graph_is_file(bytes, size))
        return reason_set(why, "is no snapshot of a heap (allocsite-dump graph PID -o FILE makes one)");
    if (size < strlen(GRAPH_MAGIC) + GRAPH_SUM_SIZE || !has_sum(bytes, size - GRAPH_SUM_SIZE))
        return reason_set(why, "is damaged or not whole");
    reader.end = reader.at + size - GRAPH_SUM_SIZE;
    reader.at += strlen(GRAPH_MAGIC);
    uint64_t version = get(&reader);
    if (version != GRAPH_VERSION && !reader.is_wrong)
        return reason_set(why, "is a snapshot of version %llu, not %d", (unsigned long long)version,
                          GRAPH_VERSION);
    get_head(&reader, graph);
    if (reader.is_wrong)
        return reason_set(why, "is damaged or not whole");
    make_room(graph);
    get_all(&reader, graph);
    if (!reader.is_wrong)
        return true;
    graph_free(graph);
    return reason_set(why, "is damaged or not whole");
}
