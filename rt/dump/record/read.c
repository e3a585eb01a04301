/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a recording. */
#include "dump/record/recording.h"

#include "dump/base/memory.h"

#include <stdlib.h>

/* ---- Uncompressed bytes. An error reads as 0, and everything after it, too. */

static uint8_t get_byte(struct recording *from) {
    if (from->plain_at < from->plain_size)
        return from->plain[from->plain_at++];
    from->is_wrong = true;
    return 0;
}

static uint64_t get_number(struct recording *from) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = get_byte(from);
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return number;
    }
    from->is_wrong = true;
    return 0;
}

static uint64_t get_difference(struct recording *from) {
    uint64_t number = get_number(from);
    return number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
}

/* A number of elements that take at least a byte each. */
static size_t get_count(struct recording *from) {
    uint64_t count = get_number(from);
    from->is_wrong |= count > from->plain_size - from->plain_at;
    return from->is_wrong ? 0 : (size_t)count;
}

/* The number of elements of a list that replaces the previous one. */
static size_t get_list(struct recording *from, size_t element) {
    size_t count = get_count(from);
    from->is_wrong |= count > from->budget / element;
    return from->is_wrong ? 0 : count;
}

/* Takes memory from the budget. False: the budget is exhausted. */
static bool take_memory(struct recording *from, uint64_t size) {
    from->is_wrong |= size > from->budget;
    from->budget -= from->is_wrong ? 0 : size;
    return !from->is_wrong;
}

static const char *new_text(struct recording *from) {
    size_t length = get_count(from);
    if (!take_memory(from, length + sizeof(char *) + 1))
        return NULL;
    char *text = memory_zeros(length, 1);
    memcpy(text, from->plain + from->plain_at, length);
    from->plain_at += length;
    memory_grow(&from->texts, from->text_count, &from->text_capacity, sizeof *from->texts);
    return from->texts[from->text_count++] = text;
}

static const char *get_text(struct recording *from) {
    uint64_t number = get_number(from);
    if (number == from->text_count + 1)
        return new_text(from);
    from->is_wrong |= number > from->text_count;
    return number && !from->is_wrong ? from->texts[number - 1] : NULL;
}

/* ---- Records. */

static void read_head(struct recording *from) {
    for (int i = 0; i < HEAD_NUMBERS; i++)
        from->head[i] = get_number(from);
    from->program = get_text(from);
    from->command = get_text(from);
}

static struct place get_place(struct recording *from) {
    struct place place = {.line = (uint32_t)get_number(from)};
    place.column = (uint32_t)get_number(from);
    place.function = get_text(from);
    place.file = get_text(from);
    return place;
}

static struct recorded_site *new_site(struct recording *from) {
    memory_grow(&from->sites, from->site_count, &from->site_capacity, sizeof *from->sites);
    struct recorded_site *site = &from->sites[from->site_count++];
    *site = (struct recorded_site){.view = {.id = 0}};
    return site;
}

static void read_inlined(struct recording *from, struct site_view *view) {
    size_t count = get_count(from);
    if (!count || !take_memory(from, count * sizeof *view->inlined))
        return;
    struct place *places = memory_zeros(count, sizeof *places);
    view->inlined = places;
    view->inlined_count = count;
    for (size_t i = 0; i < count; i++)
        places[i] = get_place(from);
}

static void read_site(struct recording *from) {
    if (!take_memory(from, 2 * sizeof *from->sites))
        return;
    struct site_view *view = &new_site(from)->view;
    uint64_t flags = get_number(from);
    view->sited = flags & SITE_IS_SITED;
    view->outside_totals = flags & SITE_IS_OUTSIDE_TOTALS;
    view->mapping = flags & SITE_IS_MAPPING;
    view->id = get_number(from);
    view->address = get_number(from);
    view->at = get_place(from);
    view->module = get_text(from);
    view->build_id = get_text(from);
    view->callee = get_text(from);
    view->type = get_text(from);
    read_inlined(from, view);
}

static void read_reasons(struct recording *from) {
    free(from->reasons);
    from->has_reasons = true;
    from->reason_count = get_list(from, sizeof *from->reasons);
    from->reasons = memory_zeros(from->reason_count, sizeof *from->reasons);
    for (size_t i = 0; i < from->reason_count; i++)
        from->reasons[i] = get_text(from) ?: "?";
}

static void read_modules(struct recording *from) {
    free(from->modules);
    from->has_modules = true;
    from->module_count = get_list(from, sizeof *from->modules);
    from->modules = memory_zeros(from->module_count, sizeof *from->modules);
    for (size_t i = 0; i < from->module_count; i++) {
        from->modules[i].path = get_text(from) ?: "?";
        from->modules[i].build_id = get_text(from);
    }
}

static void read_change(struct recording *from, uint64_t site) {
    uint64_t mask = get_number(from);
    struct recorded_site *changed = &from->sites[site];
    changed->change = (struct recorded_counters){.values = {0}};
    for (int i = 0; i < RECORDED_COUNTERS && !from->is_wrong; i++)
        if (mask >> i & 1)
            changed->now.values[i] += changed->change.values[i] = get_difference(from);
    for (int i = RECORDED_COUNTERS; i < 64 && !from->is_wrong; i++)
        if (mask >> i & 1) {
            get_difference(from);
            from->has_unknown = true;
        }
    memory_grow(&from->changed, from->changed_count, &from->changed_capacity, sizeof *from->changed);
    from->changed[from->changed_count++] = (uint32_t)site;
}

static void read_sample(struct recording *from) {
    uint64_t last = from->numbers[SAMPLE_TIME], next = 0;
    for (int i = 0; i < SAMPLE_NUMBERS; i++)
        from->numbers[i] += get_difference(from);
    from->is_wrong |= from->numbers[SAMPLE_TIME] < last;
    for (size_t count = get_count(from); count && !from->is_wrong; count--) {
        uint64_t passed = get_number(from);
        from->is_wrong |= next >= from->site_count || passed >= from->site_count - next;
        if (from->is_wrong)
            return;
        read_change(from, next + passed);
        next += passed + 1;
    }
}

static void read_record(struct recording *from) {
    static void (*const readers[])(struct recording *) = {[RECORD_HEAD] = read_head,
                                                          [RECORD_SITE] = read_site,
                                                          [RECORD_REASONS] = read_reasons,
                                                          [RECORD_MODULES] = read_modules,
                                                          [RECORD_SAMPLE] = read_sample};
    uint64_t what = get_number(from);
    from->is_wrong |= what < RECORD_HEAD || what > RECORD_SAMPLE;
    /* a sample ends the block */
    bool is_last = what == RECORD_SAMPLE;
    if (!from->is_wrong)
        readers[what](from);
    from->is_wrong |= is_last != (from->plain_at == from->plain_size);
}

/* ---- Blocks. */

static uint32_t u32_at(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void grow_plain(struct recording *from) {
    from->plain_capacity = from->plain_capacity ? 2 * from->plain_capacity : 1 << 16;
    from->plain = memory_need(realloc(from->plain, from->plain_capacity));
}

/* False: not valid deflate data. */
static bool recording_unpack(struct recording *from, const uint8_t *bytes, size_t size) {
    z_stream *stream = from->stream;
    stream->next_in = (Bytef *)(uintptr_t)bytes;
    stream->avail_in = (uInt)size;
    from->plain_at = from->plain_size = 0;
    do {
        if (from->plain_size == from->plain_capacity)
            grow_plain(from);
        stream->next_out = from->plain + from->plain_size;
        stream->avail_out = (uInt)(from->plain_capacity - from->plain_size);
        int result = inflate(stream, Z_SYNC_FLUSH);
        from->plain_size = from->plain_capacity - stream->avail_out;
        if ((result != Z_OK && result != Z_BUF_ERROR) || from->plain_size > RECORDING_BLOCK_MAX)
            return false;
    } while (stream->avail_in || !stream->avail_out);
    return true;
}

/* NULL: no complete block is left. */
static const uint8_t *next_block(struct recording *from, size_t *size) {
    const uint8_t *block = from->bytes + from->at;
    size_t remaining = from->size - from->at;
    *size = remaining < RECORDING_BLOCK ? 0 : u32_at(block);
    if (remaining < RECORDING_BLOCK || *size > remaining - RECORDING_BLOCK)
        return NULL;
    from->at += RECORDING_BLOCK + *size;
    return block;
}

bool recording_next(struct recording *from) {
    size_t size;
    const uint8_t *block = from->is_damaged ? NULL : next_block(from, &size);
    if (!block)
        return false;
    const uint8_t *bytes = block + RECORDING_BLOCK;
    from->changed_count = 0;
    from->has_reasons = from->has_modules = false;
    from->is_wrong = crc32(0, bytes, (uInt)size) != u32_at(block + 4) ||
                     !recording_unpack(from, bytes, size) || !from->plain_size;
    while (!from->is_wrong && from->plain_at < from->plain_size)
        read_record(from);
    from->is_damaged = from->is_wrong;
    from->sample_count += !from->is_wrong;
    return !from->is_wrong;
}

uint64_t recording_blocks(const void *bytes, size_t size) {
    struct recording from = {.bytes = bytes, .size = size, .at = RECORDING_HEADER};
    uint64_t count = 0;
    for (size_t block; size >= RECORDING_HEADER && next_block(&from, &block);)
        count++;
    return count;
}

bool recording_is(const void *bytes, size_t size) {
    return size >= RECORDING_MAGIC_SIZE && memcmp(bytes, RECORDING_MAGIC, RECORDING_MAGIC_SIZE) == 0;
}

bool recording_open(struct recording *from, const void *bytes, size_t size, struct reason *why) {
    *from = (struct recording){.bytes = bytes, .size = size, .at = RECORDING_HEADER};
    if (size < RECORDING_HEADER)
        return reason_set(why, "is cut");
    uint32_t version = u32_at(from->bytes + RECORDING_MAGIC_SIZE);
    if (version != RECORDING_VERSION)
        return reason_set(why, "is a recording of version %u; this allocsite-dump reads version %d", version,
                          RECORDING_VERSION);
    from->budget = outside_budget(size);
    from->stream = memory_zeros(1, sizeof *from->stream);
    if (inflateInit2(from->stream, -MAX_WBITS) != Z_OK)
        memory_need(NULL);
    for (int i = 0; i < RECORDED_SITES; i++)
        new_site(from);
    return true;
}

void recording_close(struct recording *from) {
    inflateEnd(from->stream);
    free(from->stream);
    for (size_t i = 0; i < from->site_count; i++)
        free((void *)(uintptr_t)from->sites[i].view.inlined);
    for (size_t i = 0; i < from->text_count; i++)
        free(from->texts[i]);
    free(from->texts);
    free(from->sites);
    free(from->reasons);
    free(from->modules);
    free(from->changed);
    free(from->plain);
}
