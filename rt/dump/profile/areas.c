/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the areas of a profile. */
#include "dump/profile/areas.h"

#include "base/arrays.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Growing arrays, by kind. */
static const struct growing {
    uint64_t first; /* elements of chunk 0 */
    size_t size;    /* of an element */
} growing[PROFILE_KINDS] = {
    [PROFILE_NAMES] = {PROFILE_NAMES_FIRST, 1},
    [PROFILE_RECORDS] = {PROFILE_RECORDS_FIRST, sizeof(struct profile_record)},
    [PROFILE_SLOTS] = {PROFILE_SLOTS_FIRST, sizeof(struct profile_slot)},
    [PROFILE_BLOCKS] = {PROFILE_BLOCKS_FIRST, sizeof(struct profile_block)},
    [PROFILE_PAIRS] = {PROFILE_PAIRS_FIRST, sizeof(struct profile_pair)},
    [PROFILE_SIZES] = {PROFILE_SIZES_FIRST, sizeof(struct profile_sizes)},
    [PROFILE_BASES] = {PROFILE_BASES_FIRST, sizeof(struct profile_base)},
    [PROFILE_LIFETIMES] = {PROFILE_LIFETIMES_FIRST, sizeof(struct profile_lifetimes)},
    [PROFILE_POSSIBLY_LEAKED] = {PROFILE_POSSIBLY_LEAKED_FIRST, sizeof(struct profile_possibly_leaked)},
    [PROFILE_SWITCHES] = {PROFILE_SWITCHES_FIRST, sizeof(uint64_t)},
};

size_t profile_element_size(enum profile_kind kind) {
    return growing[kind].size;
}

/* Bytes of an element in this file. */
static size_t element_size(const struct profile_areas *areas, enum profile_kind kind) {
    return kind == PROFILE_BASES ? 8 * PROFILE_PLACES(PROFILE_COMMON_COUNT + areas->header.rare)
                                 : growing[kind].size;
}

uint64_t profile_first_chunk(enum profile_kind kind) {
    return growing[kind].first;
}

void profile_copy(void *to, const unsigned char *from, size_t size) {
    uint64_t *words = to;
    for (size_t i = 0; i < size / 8; i++)
        words[i] = profile_load(from + 8 * i);
}

void profile_copy_rare(void *to, const unsigned char *from, size_t size, const struct profile_areas *areas) {
    uint64_t in_file = areas->header.rare, known = PROFILE_RARE_COUNT;
    size_t lacking = in_file < known ? 8 * (known - in_file) : 0;
    profile_copy(to, from, size - lacking);
    memset((char *)to + size - lacking, 0, lacking);
}

/* Decides by the file's extents, because reading a hole would make some file systems allocate it. */
static bool is_in_hole(const struct profile_areas *areas, const unsigned char *at) {
    struct extent part = {.end = (uint64_t)(at - areas->bytes)};
    return !extents_next(areas->extents, &part, part.end + 1);
}

const unsigned char *profile_element(const struct profile_areas *areas, enum profile_kind kind,
                                     uint64_t index) {
    static const _Alignas(8) unsigned char zeros[PROFILE_PAGE];
    struct chunk_place place = chunk_place(growing[kind].first, index);
    size_t size = element_size(areas, kind);
    if (place.chunk >= PROFILE_CHUNKS)
        return NULL;
    const struct profile_chunk *chunk = &areas->chunks[kind][place.chunk];
    if (!chunk->bytes || place.offset >= chunk->size / size)
        return NULL;
    const unsigned char *at = chunk->bytes + place.offset * size;
    return is_in_hole(areas, at) ? zeros : at;
}

/* Skips an element that begins in a hole, even if it ends outside of the hole: a used element does not begin
 * with zeros. */
bool profile_chunk_next(const struct profile_areas *areas, const struct profile_chunk *chunk, size_t element,
                        struct extent *part) {
    if (!chunk->bytes)
        return false;
    uint64_t offset = (uint64_t)(chunk->bytes - areas->bytes);
    uint64_t whole = chunk->size / element * element;
    struct extent found = {.end = offset + part->end};
    do {
        if (!extents_next(areas->extents, &found, offset + whole))
            return false;
        part->begin = (found.begin - offset + element - 1) / element * element;
        part->end = found.end - offset;
    } while (part->begin >= part->end);
    return true;
}

struct candidates {
    struct profile_area *list;
    size_t count, capacity;
};

/* Address of chunk `number` of the directory, and how many of its entries are in the file. */
static const unsigned char *directory_chunk(const struct profile_areas *areas, unsigned number,
                                            uint64_t *entries) {
    const unsigned char *directory = areas->bytes + PROFILE_PAGE;
    *entries = 0;
    if (number == 0) {
        *entries = PROFILE_DIRECTORY_FIRST;
        return directory + offsetof(struct profile_directory, area);
    }
    uint64_t offset = profile_load(directory + offsetof(struct profile_directory, chunks) + 8 * number);
    if (offset % PROFILE_PAGE || offset < 2 * PROFILE_PAGE || offset >= areas->size)
        return NULL;
    *entries = (areas->size - offset) / sizeof(struct profile_area);
    return areas->bytes + offset;
}

/* Reads the kind first, because it is written last. */
static uint32_t read_area(struct profile_area *area, const unsigned char *at) {
    uint32_t kind = profile_load_u32(at);
    if (kind != PROFILE_NONE)
        profile_copy(area, at, sizeof *area);
    return kind;
}

typedef void area_function(void *context, struct profile_areas *, const struct profile_area *);

static void each_entry(struct profile_areas *areas, const struct profile_chunk *chunk, area_function *take,
                       void *context) {
    struct profile_area area;
    for (struct extent part = {0}; profile_chunk_next(areas, chunk, sizeof area, &part);)
        for (uint64_t at = part.begin; at < part.end; at += sizeof area)
            if (read_area(&area, chunk->bytes + at) != PROFILE_NONE)
                take(context, areas, &area);
}

/* Calls `take` for each used entry. Sets claimed, and counts the entries that are beyond the end of the
 * file. */
static void each_area(struct profile_areas *areas, area_function *take, void *context) {
    uint32_t count = profile_load_u32(areas->bytes + PROFILE_PAGE);
    uint64_t first = 0, in_file = 0;
    areas->claimed = count;
    for (unsigned chunk = 0; chunk < PROFILE_CHUNKS && first < count; chunk++) {
        uint64_t entries, size = chunk_size(PROFILE_DIRECTORY_FIRST, chunk);
        const unsigned char *at = directory_chunk(areas, chunk, &entries);
        uint64_t wanted = count - first < size ? count - first : size;
        uint64_t stored = entries < wanted ? entries : wanted;
        if (stored)
            each_entry(areas, &(struct profile_chunk){at, stored * sizeof(struct profile_area)}, take,
                       context);
        first += size;
        in_file += stored;
    }
    areas->used += count - in_file;
    areas->cut += count - in_file;
}

static void take_area(void *context, struct profile_areas *areas, const struct profile_area *area) {
    struct candidates *candidates = context;
    areas->used++;
    if (area->offset % PROFILE_PAGE || area->offset < 2 * PROFILE_PAGE || area->size > INT64_MAX ||
        area->offset > INT64_MAX) {
        areas->damaged++;
        return;
    }
    bool is_whole = area->offset + area->size <= areas->size;
    struct profile_area kept = *area;
    areas->cut += !is_whole;
    if (area->offset >= areas->size || area->size == 0)
        return;
    if (!is_whole)
        kept.size = areas->size - area->offset;
    /* more areas than the file has pages must overlap */
    if (candidates->count > areas->size / PROFILE_PAGE) {
        areas->damaged++;
        return;
    }
    memory_grow(&candidates->list, candidates->count, &candidates->capacity, sizeof kept);
    candidates->list[candidates->count++] = kept;
}

static int compare_offsets(const void *a, const void *b) {
    const struct profile_area *left = a, *right = b;
    return compare_u64(left->offset, right->offset);
}

static void drop_overlapping(struct profile_areas *areas, struct candidates *candidates) {
    size_t kept = 0;
    uint64_t end = 0;
    sort_list(candidates->list, candidates->count, sizeof *candidates->list, compare_offsets);
    for (size_t i = 0; i < candidates->count; i++) {
        const struct profile_area *area = &candidates->list[i];
        if (area->offset < end) {
            areas->damaged++;
            continue;
        }
        end = area->offset + area->size;
        candidates->list[kept++] = *area;
    }
    candidates->count = kept;
}

/* Adds a span for each part of the area that is not a hole. */
static void add_spans(struct profile_areas *areas, const struct profile_area *area, uint64_t first,
                      uint64_t count, size_t size) {
    struct profile_chunk elements = {areas->bytes + area->offset, count * size};
    if (!profile_has_slots(first, count)) {
        areas->damaged++;
        return;
    }
    for (struct extent part = {0}; profile_chunk_next(areas, &elements, size, &part);)
        areas->spans[areas->span_count++] = (struct profile_span){first + part.begin / size,
                                                                  first + (part.end + size - 1) / size,
                                                                  area->kind,
                                                                  area->index,
                                                                  (uint32_t)size,
                                                                  elements.bytes + part.begin};
}

static void add_counters(struct profile_areas *areas, const struct profile_area *area, size_t size) {
    add_spans(areas, area, area->first, area->size / size, size);
}

static void place_chunk(struct profile_areas *areas, const struct profile_area *area) {
    const struct growing *array = &growing[area->kind];
    struct profile_chunk *chunk = &areas->chunks[area->kind][area->index % PROFILE_CHUNKS];
    size_t size = element_size(areas, area->kind);
    uint64_t whole = chunk_size(array->first, area->index % PROFILE_CHUNKS) * size;
    if (area->index >= PROFILE_CHUNKS || chunk->bytes) {
        areas->damaged++;
        return;
    }
    *chunk = (struct profile_chunk){areas->bytes + area->offset, area->size < whole ? area->size : whole};
    if (area->kind == PROFILE_RECORDS || area->kind == PROFILE_SLOTS)
        add_spans(areas, area, chunk_start(array->first, area->index), chunk->size / size, size);
}

static void place_area(struct profile_areas *areas, const struct profile_area *area) {
    if (area->kind == PROFILE_TALLIES)
        add_counters(areas, area, sizeof(struct tally));
    else if (area->kind == PROFILE_EXTRAS)
        add_counters(areas, area, sizeof(struct extra));
    else if (area->kind == PROFILE_RARES)
        add_counters(areas, area, 8 * PROFILE_PLACES(areas->header.rare));
    else if (area->kind == PROFILE_NOTES && !areas->notes.bytes)
        areas->notes = (struct profile_chunk){areas->bytes + area->offset, area->size};
    else if (area->kind == PROFILE_PARTS && !areas->parts.bytes)
        areas->parts = (struct profile_chunk){areas->bytes + area->offset, area->size};
    else if (area->kind < PROFILE_KINDS && growing[area->kind].size)
        place_chunk(areas, area);
}

static int compare_owners(const void *a, const void *b) {
    const struct profile_span *left = a, *right = b;
    return compare_u64(left->kind, right->kind)
               ?: compare_u64(left->block, right->block) ?: compare_u64(left->first, right->first);
}

static int compare_slots(const void *a, const void *b) {
    return compare_first_u64(a, b) ?: compare_owners(a, b);
}

/* Drops slots that overlap in one block, which would be counted twice. */
static void drop_repeated(struct profile_areas *areas) {
    struct profile_span *spans = areas->spans;
    size_t kept = 0;
    qsort(spans, areas->span_count, sizeof *spans, compare_owners);
    for (size_t i = 0; i < areas->span_count; i++) {
        const struct profile_span *last = kept ? &spans[kept - 1] : NULL;
        if (last && last->kind == spans[i].kind && last->block == spans[i].block &&
            spans[i].first < last->end)
            areas->damaged++;
        else
            spans[kept++] = spans[i];
    }
    areas->span_count = kept;
    qsort(spans, kept, sizeof *spans, compare_slots);
}

static void place_areas(struct profile_areas *areas) {
    struct candidates candidates = {.count = 0};
    each_area(areas, take_area, &candidates);
    drop_overlapping(areas, &candidates);
    /* each extent splits at most one area */
    areas->spans = memory_zeros(candidates.count + areas->extents->count, sizeof *areas->spans);
    for (size_t i = 0; i < candidates.count; i++)
        place_area(areas, &candidates.list[i]);
    free(candidates.list);
    drop_repeated(areas);
}

static bool is_profile(const void *bytes, size_t size) {
    /* Compared without the final newline, so that a profile that a text conversion has damaged is still
     * recognized. */
    return size >= PROFILE_MAGIC_SIZE && memcmp(bytes, PROFILE_MAGIC, PROFILE_MAGIC_SIZE - 1) == 0;
}

/* Sets *why to the kind of file that it may be instead. Always false. */
static bool areas_refuse(const unsigned char *bytes, size_t size, struct reason *why) {
    if (size >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
        return reason_set(
            why, "is a program or library and has no counters; allocsite-dump sites shows its site table");
    bool is_json = size && bytes[0] == '{';
    return reason_set(why, "is neither a profile nor a recording%s",
                      is_json ? "; a JSON report is not an input, use the profile" : "");
}

static bool check_header(struct profile_header *header, size_t size, struct reason *why) {
    if (memcmp(header->magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE) != 0)
        return reason_set(why, "is a profile that was changed on the way: was it copied as text?");
    if (header->byte_order == __builtin_bswap32(PROFILE_BYTE_ORDER))
        return reason_set(why, "is a profile of a machine with the other byte order");
    if (header->byte_order != PROFILE_BYTE_ORDER)
        return reason_set(why, "is a damaged profile: its header is invalid");
    if (header->version != PROFILE_VERSION)
        return reason_set(why, "is a profile of version %u; this allocsite-dump reads version %u",
                          header->version, PROFILE_VERSION);
    if (header->rare == 0 || header->rare > PROFILE_RARE_MAX)
        return reason_set(why, "is a damaged profile: its header is invalid");
    return size >= 2 * PROFILE_PAGE || reason_set(why, "is a truncated profile: its directory is missing");
}

bool profile_areas_open(struct profile_areas *areas, const void *bytes, size_t size,
                        const struct extents *extents, struct reason *why) {
    *areas = (struct profile_areas){.bytes = bytes, .size = size, .extents = extents};
    if (!is_profile(bytes, size))
        return areas_refuse(bytes, size, why);
    if (size < sizeof areas->header)
        return reason_set(why, "is a truncated profile: its header is incomplete");
    profile_copy(&areas->header, areas->bytes, sizeof areas->header);
    if (!check_header(&areas->header, size, why))
        return false;
    place_areas(areas);
    return true;
}

void profile_areas_close(struct profile_areas *areas) {
    free(areas->spans);
}

static void count_area(void *context, struct profile_areas *areas, const struct profile_area *area) {
    (void)context, (void)area;
    areas->used++;
}

bool profile_areas_changed(const struct profile_areas *areas) {
    struct profile_areas now = {.bytes = areas->bytes, .size = areas->size, .extents = areas->extents};
    uint64_t resets = profile_load(areas->bytes + offsetof(struct profile_header, resets));
    each_area(&now, count_area, NULL);
    return resets != areas->header.resets || resets % 2 || now.claimed != areas->claimed ||
           now.used != areas->used;
}
