/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses a block's type if its site allocates several, and finds text at the beginning of blocks. */
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/capture/capture.h"
#include "dump/capture/sites.h"
#include "format.h"

#include <string.h>

enum { WORD = 8 };

/* ---- The type of a block among several. */

/* Limit of the words examined in a block. */
enum { WORDS_MAX = 512 };

struct block_choice {
    const struct finder *finder;
    const struct capture_maps *maps;
    uint64_t start, size; /* of the block */
    uint64_t words;       /* number of words to examine */
    uint64_t pointers[WORDS_MAX / 64];
    bool has_pointers;
};

/* The fit of a type to a block. Kinds are in ascending order of preference. */
struct fit {
    uint64_t unexplained; /* pointers at offsets without a pointer field */
    enum { COUNTED, ARRAY, SINGLE } kind;
    uint64_t missing; /* pointer fields without a pointer */
};

static bool size_fits(const struct block_type *type, uint64_t size) {
    if (!type->size || size < type->size || (type->is_empty && size > type->size))
        return false;
    return type->is_flexible || size % type->size == 0 || block_type_first(type, size);
}

/* Pages that were not copied are zero. */
static bool may_be_pointer(const struct block_choice *block_choice, uint64_t offset) {
    uint64_t word;
    if (!image_read(block_choice->finder->image, block_choice->start + offset, &word, WORD) || !word)
        return true;
    return capture_maps_at(block_choice->maps, word);
}

static bool has_count(const struct block_choice *block_choice, const struct block_type *type) {
    uint64_t count;
    return image_read(block_choice->finder->image, block_choice->start, &count, WORD) &&
           count == block_choice->size / type->size;
}

/* A word of a union may hold any member. */
static bool fits_words(const struct block_choice *block_choice, const struct block_type *type) {
    if (block_type_first(type, block_choice->size) && !has_count(block_choice, type))
        return false;
    if (type->is_pointers)
        for (uint64_t at = 0; at + WORD <= block_choice->size; at += WORD)
            if (!may_be_pointer(block_choice, at))
                return false;
    uint64_t first = block_type_first(type, block_choice->size);
    for (uint64_t at = first; type->field_count && at + type->size <= block_choice->size; at += type->size)
        for (size_t i = 0; i < type->field_count; i++)
            if (!type->fields[i].is_in_union && !type->fields[i].is_text &&
                !may_be_pointer(block_choice, at + type->fields[i].offset))
                return false;
    return true;
}

static bool has_pointer(const struct block_choice *block_choice, uint64_t word) {
    return block_choice->pointers[word / 64] >> word % 64 & 1;
}

static void find_pointers(struct block_choice *block_choice) {
    for (uint64_t at = 0, word; at < block_choice->words; at++)
        if (image_read(block_choice->finder->image, block_choice->start + at * WORD, &word, WORD) &&
            finder_find(block_choice->finder, word, false) != FINDER_NONE) {
            block_choice->pointers[at / 64] |= UINT64_C(1) << at % 64;
            block_choice->has_pointers = true;
        }
}

/* False: the block cannot have the type. */
static bool find_fit(const struct block_choice *block_choice, const struct block_type *type,
                     struct fit *fit) {
    uint64_t size = block_choice->size;
    if (!size_fits(type, size) || !fits_words(block_choice, type))
        return false;
    *fit = (struct fit){.kind = size == type->size                            ? SINGLE
                                : type->is_flexible || size % type->size == 0 ? ARRAY
                                                                              : COUNTED};
    for (uint64_t word = 0; word < block_choice->words; word++) {
        bool is_field = block_type_has(type, size, word * WORD);
        fit->unexplained += !is_field && has_pointer(block_choice, word);
        fit->missing += is_field && !has_pointer(block_choice, word);
    }
    return true;
}

static int compare_fits(const struct fit *a, const struct fit *b) {
    return compare_u64(a->unexplained, b->unexplained)
               ?: compare_u64(b->kind, a->kind) ?: compare_u64(a->missing, b->missing);
}

/* Without pointers, one object cannot be distinguished from characters or numbers of the same size. */
static bool is_better(const struct block_choice *block_choice, const struct fit *fit,
                      const struct fit *than) {
    if (!block_choice->has_pointers)
        return (fit->kind == COUNTED) < (than->kind == COUNTED);
    return compare_fits(fit, than) < 0;
}

static void choose_type(const struct block_choice *block_choice, const struct capture_sites *sites,
                        struct graph_block *block) {
    const struct capture_choice *choice = &sites->choices[block->site];
    uint32_t found = GRAPH_NONE, end = choice->first + choice->count;
    bool is_alone = true;
    struct fit best = {0}, fit;
    for (uint32_t site = choice->first; site < end; site++) {
        if (!find_fit(block_choice, &sites->types[site], &fit))
            continue;
        bool is_first = found == GRAPH_NONE || is_better(block_choice, &fit, &best);
        is_alone = is_first || (is_alone && is_better(block_choice, &best, &fit));
        found = is_first ? site : found;
        best = is_first ? fit : best;
    }
    block->site = found != GRAPH_NONE && is_alone ? found : block->site;
}

/* ---- Types that are only pointers. The types of the objects that they point to decide. */

struct following {
    const struct graph *graph;
    const struct string_pool *texts; /* types of the graph's sites */
    const struct finder *finder;
};

static const char *type_of(const struct following *following, uint32_t site) {
    uint32_t type = following->graph->sites[site].type;
    return type == GRAPH_NONE ? "" : following->texts->list[type];
}

/* "node **" to "node *", "node *" to "node". */
static bool is_pointer_to(const char *pointer, const char *to) {
    size_t length = strlen(to);
    const char *suffix = pointer + length;
    return strncmp(pointer, to, length) == 0 && (strcmp(suffix, "*") == 0 || strcmp(suffix, " *") == 0);
}

static size_t count_leading(const struct following *following, const struct graph_block *block,
                            const char *pointer) {
    const struct graph *graph = following->graph;
    size_t count = 0;
    uint64_t end = block->size / WORD < WORDS_MAX ? block->size & -(uint64_t)WORD : WORDS_MAX * WORD;
    for (uint64_t at = 0, word; at < end; at += WORD) {
        bool is_there = image_read(following->finder->image, block->address + at, &word, WORD);
        size_t to = is_there ? finder_find(following->finder, word, false) : FINDER_NONE;
        count += to != FINDER_NONE && is_pointer_to(pointer, type_of(following, graph->blocks[to].site));
    }
    return count;
}

static void follow_pointers(const struct following *following, const struct capture_sites *sites,
                            struct graph_block *block) {
    const struct capture_choice *choice = &sites->choices[block->site];
    uint32_t found = GRAPH_NONE;
    size_t most = 0;
    for (uint32_t site = choice->first; site < choice->first + choice->count; site++) {
        if (!size_fits(&sites->types[site], block->size))
            continue;
        if (!sites->types[site].is_pointers)
            return;
        size_t count = count_leading(following, block, type_of(following, site));
        found = count > most ? site : count == most ? GRAPH_NONE : found;
        most = count > most ? count : most;
    }
    block->site = most && found != GRAPH_NONE ? found : block->site;
}

/* The report's sites come first. A block whose type is decided has one of the copies of its site; the copies
 * follow the report's sites. */
static bool is_undecided(const struct capture_sites *sites, uint32_t site) {
    return site < CAPTURE_FIRST + sites->source->report->counted && sites->choices[site].count;
}

/* Two passes, because a pointer of the second level may point to one of the first. */
static void follow_all(struct graph *graph, const struct capture_sites *sites, const struct finder *finder,
                       const struct string_pool *texts) {
    const struct following following = {graph, texts, finder};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < graph->block_count; i++)
            if (is_undecided(sites, graph->blocks[i].site))
                follow_pointers(&following, sites, &graph->blocks[i]);
}

void capture_choose(struct graph *graph, const struct capture_sites *sites, const struct string_pool *texts,
                    const struct finder *finder, const struct capture_maps *maps) {
    for (size_t i = 0; i < graph->block_count; i++) {
        struct graph_block *block = &graph->blocks[i];
        if (!is_undecided(sites, block->site))
            continue;
        struct block_choice block_choice = {finder, maps, block->address, block->size,
                                            .words = block->size / WORD};
        block_choice.words = block_choice.words < WORDS_MAX ? block_choice.words : WORDS_MAX;
        find_pointers(&block_choice);
        choose_type(&block_choice, sites, block);
    }
    follow_all(graph, sites, finder, texts);
}

/* ---- Text at the beginning of blocks. */

/* Types of characters, bytes, or unknown. */
static bool may_be_text(const char *type) {
    return !type || strstr(type, "char") || strcmp(type, ALLOCSITE_BYTES) == 0;
}

/* Length up to a NUL or the limit of what is shown, without a character that the limit cuts. */
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
    memory_grow(&graph->contents, graph->content_count, &graph->content_capacity, sizeof *graph->contents);
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
