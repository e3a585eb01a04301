/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What single blocks are: of which of the types that their site allocates, and how texts in them begin. */
#include "dump/base/memory.h"
#include "dump/capture/roots.h"
#include "dump/capture/sites.h"
#include "format.h"

#include <string.h>

enum { WORD = 8 };

/* ---- Of which of several types a block is. */

struct choosing {
    const struct finder *finder; /* NULL: no contents are known */
    const struct capture_maps *maps;
    uint64_t start, size; /* of the block */
};

/* A count before the elements is seldom there. */
enum fit { FIT_NONE, FIT_WITH_COUNT, FIT_EXACT };

static enum fit size_fit(const struct block_type *type, uint64_t size) {
    if (!type->size || size < type->size)
        return FIT_NONE;
    if (type->is_flexible || size % type->size == 0)
        return FIT_EXACT;
    return block_type_first(type, size) ? FIT_WITH_COUNT : FIT_NONE;
}

/* What is not there of the copy is zeros. */
static bool may_be_pointer(const struct choosing *choosing, uint64_t offset) {
    uint64_t word;
    if (!image_read(choosing->finder->image, choosing->start + offset, &word, WORD) || !word)
        return true;
    return capture_maps_at(choosing->maps, word);
}

/* Of a union a word may be anything. */
static bool fits_words(const struct choosing *choosing, const struct block_type *type) {
    if (type->is_pointers)
        for (uint64_t at = 0; at + WORD <= choosing->size; at += WORD)
            if (!may_be_pointer(choosing, at))
                return false;
    uint64_t first = block_type_first(type, choosing->size);
    for (uint64_t at = first; type->field_count && at + type->size <= choosing->size; at += type->size)
        for (size_t i = 0; i < type->field_count; i++)
            if (!type->fields[i].is_in_union && !may_be_pointer(choosing, at + type->fields[i].offset))
                return false;
    return true;
}

static bool fits(const struct choosing *choosing, const struct block_type *type, enum fit least) {
    return size_fit(type, choosing->size) >= least && (!choosing->finder || fits_words(choosing, type));
}

static void choose(const struct choosing *choosing, const struct capture_sites *sites,
                   struct graph_block *block) {
    const struct capture_choice *choice = &sites->choices[block->site];
    uint32_t found = GRAPH_NONE, count = 0, end = choice->first + choice->count;
    enum fit best = FIT_WITH_COUNT;
    for (uint32_t site = choice->first; site < end; site++)
        if (size_fit(&sites->types[site], block->size) > best)
            best = size_fit(&sites->types[site], block->size);
    for (uint32_t site = choice->first; site < end; site++)
        if (fits(choosing, &sites->types[site], best)) {
            found = site;
            count++;
        }
    block->site = count == 1 ? found : block->site;
}

void capture_choose(struct graph *graph, const struct capture_sites *sites, const struct finder *finder,
                    const struct capture_maps *maps) {
    for (size_t i = 0; i < graph->block_count; i++) {
        struct graph_block *block = &graph->blocks[i];
        if (sites->choices[block->site].count)
            choose(&(struct choosing){finder, maps, block->address, block->size}, sites, block);
    }
}

/* ---- How texts in blocks begin. */

/* Of characters, of bytes, or nobody knows of what. */
static bool may_be_text(const char *type) {
    return !type || strstr(type, "char") || strcmp(type, ALLOCSITE_BYTES) == 0;
}

/* Characters up to a NUL, or as many as are shown; without the last one if that was cut. */
static size_t text_length(const char *bytes, size_t size) {
    size_t length = 0;
    while (length < size && bytes[length]) {
        size_t character = utf8_length(bytes + length);
        bool is_plain =
            character > 1 || (unsigned char)bytes[length] >= ' ' || strchr("\t\n\r", bytes[length]);
        if (length + character > size)
            break;
        if (!character || !is_plain)
            return 0;
        length += character;
    }
    return length;
}

static void add_content(struct graph *graph, const struct image *image, size_t block) {
    char bytes[GRAPH_CONTENT_SIZE + 4] = "";
    uint64_t size = graph->blocks[block].size;
    size = size < GRAPH_CONTENT_SIZE ? size : GRAPH_CONTENT_SIZE;
    if (!image_read(image, graph->blocks[block].address, bytes, size))
        return;
    size_t length = text_length(bytes, size);
    if (!length)
        return;
    memory_grow(&graph->contents, graph->content_count, &graph->content_room, sizeof *graph->contents);
    struct graph_content *content = &graph->contents[graph->content_count++];
    memset(content, 0, sizeof *content);
    content->block = (uint32_t)block;
    memcpy(content->text, bytes, length);
}

void capture_contents(struct graph *graph, const struct image *image) {
    for (size_t i = 0; i < graph->block_count; i++)
        if (!graph_site_of(graph, i)->is_uncounted && may_be_text(graph_type_of(graph, i)))
            add_content(graph, image, i);
}
