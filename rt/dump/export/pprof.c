/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report as a profile of pprof (profile.proto, gzip). Types, callees and site ids are labels. */
#include "base/out.h"
#include "dump/base/memory.h"
#include "dump/export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- Protocol Buffers, as far as profiles need them: numbers, bytes and arrays of numbers. A code generator
 * would take more work to build and maintain, because only two kinds of fields are needed. */

/* All zero: empty. */
struct message {
    unsigned char *bytes;
    size_t size, capacity;
};

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2, VARINT = 10 };

/* Appends an element of an array, even if it is 0. The array is added like a message. */
static void message_element(struct message *message, uint64_t value) {
    memory_grow(&message->bytes, message->size + VARINT, &message->capacity, 1);
    for (; value >= 0x80; value >>= 7)
        message->bytes[message->size++] = (unsigned char)(value | 0x80);
    message->bytes[message->size++] = (unsigned char)value;
}

static void put_key(struct message *message, unsigned field, unsigned wire) {
    message_element(message, field << 3 | wire);
}

/* A missing field reads as 0, so 0 is not written. */
static void message_number(struct message *message, unsigned field, uint64_t value) {
    if (!value)
        return;
    put_key(message, field, WIRE_NUMBER);
    message_element(message, value);
}

static void message_bytes(struct message *message, unsigned field, const void *bytes, size_t size) {
    put_key(message, field, WIRE_BYTES);
    message_element(message, size);
    while (message->capacity - message->size < size)
        memory_grow(&message->bytes, message->capacity, &message->capacity, 1);
    if (size)
        memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

/* Adds the message as a field and empties it. */
static void message_add(struct message *message, unsigned field, struct message *part) {
    message_bytes(message, field, part->bytes, part->size);
    part->size = 0;
}

static void message_free(struct message *message) {
    free(message->bytes);
}

/* ---- The profile. */

/* Field numbers of the messages. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
    VALUE_TYPE_TYPE = 1,
    VALUE_TYPE_UNIT = 2,
    SAMPLE_LOCATION_ID = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_STR = 2,
    MAPPING_ID = 1,
    MAPPING_FILENAME = 5,
    MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_INLINE_FRAMES = 10,
    LOCATION_ID = 1,
    LOCATION_MAPPING_ID = 2,
    LOCATION_LINE = 4,
    LINE_FUNCTION_ID = 1,
    LINE_LINE = 2,
    LINE_COLUMN = 3,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILENAME = 4,
};

static const char *const type_names[SAMPLE_VALUES] = {
    [SAMPLE_CALLS] = "alloc_objects",       [SAMPLE_BYTES] = "alloc_space",
    [SAMPLE_LIVE_BLOCKS] = "inuse_objects", [SAMPLE_LIVE_BYTES] = "inuse_space",
    [SAMPLE_PEAK_BLOCKS] = "peak_objects",  [SAMPLE_PEAK_BYTES] = "peak_space",
};

struct pprof {
    const struct samples *samples;
    struct out *out;
    z_stream stream;
    Bytef packed[1 << 14];
    struct message message, part, array; /* in progress, nested */
    struct message entry;                /* an entry of the table of strings */
    uint64_t string_count;
    struct number_map strings;   /* strings without the empty one, by pointer: equal strings are mostly one
                                  * pointer, and readers accept duplicates */
    struct number_map functions; /* by name and file */
    struct string_pool mappings; /* paths in the order of their numbers */
    struct number_map chains;    /* chains of inlined frames: the first frame and the number of the rest give
                                  * the chain's number, with a mark if it is a location */
};

/* ---- Compression. */

static void deflate_all(struct pprof *pprof, int flush) {
    z_stream *stream = &pprof->stream;
    do {
        stream->next_out = pprof->packed;
        stream->avail_out = sizeof pprof->packed;
        deflate(stream, flush);
        out_bytes(pprof->out, (char *)pprof->packed, sizeof pprof->packed - stream->avail_out);
    } while (!stream->avail_out);
}

/* Compresses and empties the message. The profile is never in memory as a whole, since its fields may have
 * any order. */
static void pack_message(struct pprof *pprof, struct message *message) {
    pprof->stream.next_in = message->bytes;
    pprof->stream.avail_in = (uInt)message->size;
    deflate_all(pprof, Z_NO_FLUSH);
    message->size = 0;
}

static void end_part(struct pprof *pprof, unsigned field) {
    message_add(&pprof->message, field, &pprof->part);
    pack_message(pprof, &pprof->message);
}

/* ---- The tables. */

/* The number of the key, from 1 on; *is_new: just assigned. */
static uint64_t number_of(struct number_map *map, uint64_t key, bool *is_new) {
    *is_new = number_map_add(map, key, map->count + 1);
    return *number_map_find(map, key);
}

#define IS_LOCATION (UINT64_C(1) << 63)

static uint64_t *chain_of(struct pprof *pprof, uint64_t outer_chain, uint32_t frame) {
    uint64_t key = outer_chain << 32 | frame;
    number_map_add(&pprof->chains, key, pprof->chains.count + 1);
    return number_map_find(&pprof->chains, key);
}

/* Returns the string's number. Readers require UTF-8 and print strings on terminals. */
static uint64_t add_string(struct pprof *pprof, const char *text) {
    size_t size = strlen(text) + 1; /* a question mark is never longer than the characters it replaces */
    char *plain = memory_zeros(size, 1);
    struct out out;
    out_open_memory(&out, plain, size);
    out_plain(&out, text);
    message_bytes(&pprof->entry, PROFILE_STRING_TABLE, plain, strlen(plain));
    pack_message(pprof, &pprof->entry);
    free(plain);
    return ++pprof->string_count;
}

static uint64_t string_at(struct pprof *pprof, const void *where, const char *text) {
    const uint64_t *known = number_map_find(&pprof->strings, (uintptr_t)where);
    if (known)
        return *known;
    number_map_add(&pprof->strings, (uintptr_t)where, pprof->string_count + 1);
    return add_string(pprof, text);
}

/* 0 is the empty string. */
static uint64_t string_of(struct pprof *pprof, const char *text) {
    return text && *text ? string_at(pprof, text, text) : 0;
}

static uint64_t function_of(struct pprof *pprof, const struct frame *frame) {
    bool is_new;
    uint64_t name = string_of(pprof, frame->function), file = string_of(pprof, frame->file),
             symbol = string_of(pprof, frame->symbol),
             id = number_of(&pprof->functions, name << 32 | file, &is_new);
    if (!is_new)
        return id;
    message_number(&pprof->part, FUNCTION_ID, id);
    message_number(&pprof->part, FUNCTION_NAME, name);
    message_number(&pprof->part, FUNCTION_SYSTEM_NAME, symbol ? symbol : name);
    message_number(&pprof->part, FUNCTION_FILENAME, file);
    end_part(pprof, PROFILE_FUNCTION);
    return id;
}

static const char *build_id(const struct report *report, const char *path) {
    for (size_t i = 0; path && i < report->modules_size; i++)
        if (strcmp(report->modules[i].path, path) == 0)
            return report->modules[i].build_id;
    return NULL;
}

/* Readers require a mapping for every location, and look up symbols themselves unless it claims to have
 * them. */
static uint64_t mapping_of(struct pprof *pprof, const char *module) {
    size_t count = pprof->mappings.count;
    module = module ? module : "[unknown]";
    uint64_t id = string_number(&pprof->mappings, module) + 1;
    if (id <= count)
        return id;
    uint64_t file = string_of(pprof, module);
    uint64_t build = string_of(pprof, build_id(pprof->samples->report, module));
    message_number(&pprof->part, MAPPING_ID, id);
    message_number(&pprof->part, MAPPING_FILENAME, file);
    message_number(&pprof->part, MAPPING_BUILD_ID, build);
    for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINE_FRAMES; field++)
        message_number(&pprof->part, field, 1);
    end_part(pprof, PROFILE_MAPPING);
    return id;
}

static void add_line(struct pprof *pprof, const struct frame *frame, uint64_t function_id) {
    struct message *line = &pprof->array;
    message_number(line, LINE_FUNCTION_ID, function_id);
    message_number(line, LINE_LINE, frame->line);
    message_number(line, LINE_COLUMN, frame->column);
    message_add(&pprof->part, LOCATION_LINE, line);
}

/* Frames inlined into each other form one location, innermost first. */
static uint64_t location_of(struct pprof *pprof, const uint32_t *path, size_t count) {
    const struct frame *frames = pprof->samples->frames;
    uint64_t id = 0, *chain = NULL;
    for (size_t i = count; i-- > 0; id = *chain & ~IS_LOCATION)
        chain = chain_of(pprof, id, path[i]);
    if (*chain & IS_LOCATION)
        return id;
    *chain |= IS_LOCATION;
    uint64_t of = mapping_of(pprof, frames[path[count - 1]].module);
    uint64_t *functions = memory_zeros(count, sizeof *functions);
    for (size_t i = 0; i < count; i++)
        functions[i] = function_of(pprof, &frames[path[i]]);
    message_number(&pprof->part, LOCATION_ID, id);
    message_number(&pprof->part, LOCATION_MAPPING_ID, of);
    for (size_t i = 0; i < count; i++)
        add_line(pprof, &frames[path[i]], functions[i]);
    free(functions);
    end_part(pprof, PROFILE_LOCATION);
    return id;
}

/* ---- Samples, and properties of the profile. */

static void add_label(struct pprof *pprof, uint64_t key, uint64_t value) {
    if (!value)
        return;
    message_number(&pprof->array, LABEL_KEY, key);
    message_number(&pprof->array, LABEL_STR, value);
    message_add(&pprof->part, SAMPLE_LABEL, &pprof->array);
}

static void put_locations(struct pprof *pprof, const struct sample *sample) {
    const struct samples *samples = pprof->samples;
    struct message ids = {NULL, 0, 0};
    for (size_t i = 0, end; i < sample->count; i = end) {
        const uint32_t *path = &samples->paths[sample->first];
        for (end = i + 1; end < sample->count && samples->frames[path[end - 1]].is_inlined;)
            end++;
        message_element(&ids, location_of(pprof, path + i, end - i));
    }
    message_add(&pprof->part, SAMPLE_LOCATION_ID, &ids);
    message_free(&ids);
}

static void put_sample(struct pprof *pprof, const struct sample *sample) {
    const struct site_view *site = sample->site;
    char id[32];
    snprintf(id, sizeof id, "%016" PRIx64, site->id);
    uint64_t labels[][2] = {{string_of(pprof, "site"), string_at(pprof, site, id)},
                            {string_of(pprof, "callee"), string_of(pprof, site->callee)},
                            {string_of(pprof, "type"), string_of(pprof, site->type)},
                            {string_of(pprof, "phase"), string_of(pprof, sample->phase)}};
    put_locations(pprof, sample);
    for (size_t i = 0; i < pprof->samples->value_count; i++)
        message_element(&pprof->array, sample->values[i]);
    message_add(&pprof->part, SAMPLE_VALUE, &pprof->array);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        add_label(pprof, labels[i][0], labels[i][1]);
    end_part(pprof, PROFILE_SAMPLE);
}

static void put_number(struct pprof *pprof, unsigned field, uint64_t number) {
    message_number(&pprof->message, field, number);
    pack_message(pprof, &pprof->message);
}

static void put_types(struct pprof *pprof) {
    for (size_t i = 0; i < pprof->samples->value_count; i++) {
        uint64_t type = string_of(pprof, type_names[i]),
                 unit = string_of(pprof, sample_is_bytes((enum sample_value)i) ? "bytes" : "count");
        message_number(&pprof->part, VALUE_TYPE_TYPE, type);
        message_number(&pprof->part, VALUE_TYPE_UNIT, unit);
        end_part(pprof, PROFILE_SAMPLE_TYPE);
    }
    put_number(pprof, PROFILE_DEFAULT_SAMPLE_TYPE,
               string_of(pprof, type_names[samples_first(pprof->samples)]));
}

static void put_head(struct pprof *pprof) {
    const struct report *report = pprof->samples->report;
    char doubt[SAMPLES_DOUBT];
    message_bytes(&pprof->message, PROFILE_STRING_TABLE, "", 0);
    pack_message(pprof, &pprof->message);
    mapping_of(pprof, report->program);
    put_types(pprof);
    put_number(pprof, PROFILE_TIME_NANOS, report->run.begun);
    if (report->run.ended > report->run.begun)
        put_number(pprof, PROFILE_DURATION_NANOS, report->run.ended - report->run.begun);
    for (size_t i = 0; samples_doubt(doubt, pprof->samples, i); i++)
        put_number(pprof, PROFILE_COMMENT, add_string(pprof, doubt));
}

/* The gzip header has no name and no time, so equal reports give equal bytes. */
void export_pprof(struct out *out, const struct samples *samples) {
    struct pprof *pprof = memory_zeros(1, sizeof *pprof);
    pprof->samples = samples;
    pprof->out = out;
    memory_need(deflateInit2(&pprof->stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK
                    ? pprof
                    : NULL);
    put_head(pprof);
    for (size_t i = 0; i < samples->count; i++)
        put_sample(pprof, &samples->list[i]);
    deflate_all(pprof, Z_FINISH);
    deflateEnd(&pprof->stream);
    message_free(&pprof->message);
    message_free(&pprof->part);
    message_free(&pprof->array);
    message_free(&pprof->entry);
    number_map_free(&pprof->strings);
    number_map_free(&pprof->functions);
    string_pool_free(&pprof->mappings);
    number_map_free(&pprof->chains);
    free(pprof);
}
