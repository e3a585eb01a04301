/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a recording. */
#include "dump/record/recording.h"

#include "dump/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Compression level 6 would take a third longer for 10,000 changed sites, and would save hardly any bytes. */
enum { DEFLATE_LEVEL = 4 };

static void make_room(struct recording_bytes *to, size_t more) {
    if (to->capacity - to->size >= more)
        return;
    to->capacity = 2 * (to->size + more);
    to->bytes = memory_need(realloc(to->bytes, to->capacity));
}

static void put_bytes(struct recording_writer *writer, const void *bytes, size_t size) {
    make_room(&writer->plain, size);
    memcpy(writer->plain.bytes + writer->plain.size, bytes, size);
    writer->plain.size += size;
}

static void put_number(struct recording_writer *writer, uint64_t number) {
    struct recording_bytes *plain = &writer->plain;
    make_room(plain, 10);
    for (; number > 0x7F; number >>= 7)
        plain->bytes[plain->size++] = (uint8_t)(number | 0x80);
    plain->bytes[plain->size++] = (uint8_t)number;
}

/* Zigzag encoding: differences of small magnitude are short. */
static void put_difference(struct recording_writer *writer, uint64_t difference) {
    put_number(writer, difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0));
}

static void put_text(struct recording_writer *writer, const char *text) {
    size_t before = writer->strings.count;
    uint64_t number = text ? string_number(&writer->strings, text) + 1 : 0;
    put_number(writer, number);
    if (writer->strings.count == before)
        return;
    put_number(writer, strlen(text));
    put_bytes(writer, text, strlen(text));
}

static bool write_all(struct recording_writer *writer, const void *bytes, size_t size, struct reason *why) {
    const char *at = bytes;
    for (size_t done = 0; done < size;) {
        ssize_t written = write(writer->fd, at + done, size - done);
        if (written < 0 && errno != EINTR)
            return reason_errno(why);
        done += written > 0 ? (size_t)written : 0;
    }
    writer->size += size;
    return true;
}

static void put_u32(uint8_t *at, uint64_t number) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

bool recording_create(struct recording_writer *writer, int fd, struct reason *why) {
    uint8_t header[RECORDING_HEADER] = RECORDING_MAGIC;
    *writer = (struct recording_writer){
        .fd = fd, .site_count = RECORDED_SITES, .stream = memory_zeros(1, sizeof *writer->stream)};
    if (deflateInit2(writer->stream, DEFLATE_LEVEL, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        memory_need(NULL);
    put_u32(header + RECORDING_MAGIC_SIZE, RECORDING_VERSION);
    if (write_all(writer, header, sizeof header, why))
        return true;
    recording_end(writer);
    return false;
}

void recording_end(struct recording_writer *writer) {
    deflateEnd(writer->stream);
    free(writer->stream);
    free(writer->plain.bytes);
    free(writer->packed.bytes);
    free(writer->changes);
    free(writer->has_changed);
    string_pool_free(&writer->strings);
}

void recording_head(struct recording_writer *writer, const uint64_t numbers[HEAD_NUMBERS],
                    const char *program, const char *command) {
    put_number(writer, RECORD_HEAD);
    for (int i = 0; i < HEAD_NUMBERS; i++)
        put_number(writer, numbers[i]);
    put_text(writer, program);
    put_text(writer, command);
}

static void put_place(struct recording_writer *writer, const struct place *place) {
    put_number(writer, place->line);
    put_number(writer, place->column);
    put_text(writer, place->function);
    put_text(writer, place->file);
}

void recording_site(struct recording_writer *writer, const struct site_view *view) {
    put_number(writer, RECORD_SITE);
    put_number(writer, (view->sited ? SITE_IS_SITED : 0u) |
                           (view->outside_totals ? SITE_IS_OUTSIDE_TOTALS : 0u) |
                           (view->mapping ? SITE_IS_MAPPING : 0u));
    put_number(writer, view->id);
    put_number(writer, view->address);
    put_place(writer, &view->at);
    put_text(writer, view->module);
    put_text(writer, view->build_id);
    put_text(writer, view->callee);
    put_text(writer, view->type);
    put_number(writer, view->inlined_count);
    for (size_t i = 0; i < view->inlined_count; i++)
        put_place(writer, &view->inlined[i]);
    writer->site_count++;
}

void recording_reasons(struct recording_writer *writer, const char *const *reasons, size_t count) {
    put_number(writer, RECORD_REASONS);
    put_number(writer, count);
    for (size_t i = 0; i < count; i++)
        put_text(writer, reasons[i]);
}

void recording_modules(struct recording_writer *writer, const struct report_module *modules, size_t count) {
    put_number(writer, RECORD_MODULES);
    put_number(writer, count);
    for (size_t i = 0; i < count; i++) {
        put_text(writer, modules[i].path);
        put_text(writer, modules[i].build_id);
    }
}

static void know_site(struct recording_writer *writer, size_t site) {
    size_t capacity = writer->capacity ? writer->capacity : 64;
    while (capacity <= site)
        capacity *= 2;
    if (capacity == writer->capacity)
        return;
    writer->changes = memory_need(realloc(writer->changes, capacity * sizeof *writer->changes));
    writer->has_changed = memory_need(realloc(writer->has_changed, capacity));
    memset(writer->changes + writer->capacity, 0, (capacity - writer->capacity) * sizeof *writer->changes);
    memset(writer->has_changed + writer->capacity, 0, capacity - writer->capacity);
    writer->capacity = capacity;
}

void recording_change(struct recording_writer *writer, size_t site, const struct recorded_counters *more) {
    know_site(writer, site);
    writer->change_count += !writer->has_changed[site];
    writer->has_changed[site] = true;
    for (int i = 0; i < RECORDED_COUNTERS; i++)
        writer->changes[site].values[i] += more->values[i];
}

static void put_change(struct recording_writer *writer, size_t passed, struct recorded_counters *change) {
    uint64_t mask = 0;
    for (int i = 0; i < RECORDED_COUNTERS; i++)
        mask |= (uint64_t)(change->values[i] != 0) << i;
    put_number(writer, passed);
    put_number(writer, mask);
    for (int i = 0; i < RECORDED_COUNTERS; i++)
        if (change->values[i])
            put_difference(writer, change->values[i]);
    *change = (struct recorded_counters){.values = {0}};
}

/* Most sites have not changed, so memchr finds the next one. */
static void put_changes(struct recording_writer *writer) {
    size_t next = 0;
    put_number(writer, writer->change_count);
    for (; writer->change_count; writer->change_count--) {
        bool *changed = memchr(writer->has_changed + next, true, writer->capacity - next);
        size_t site = (size_t)(changed - writer->has_changed);
        put_change(writer, site - next, &writer->changes[site]);
        *changed = false;
        next = site + 1;
    }
}

static void pack_block(struct recording_writer *writer) {
    struct recording_bytes *packed = &writer->packed;
    z_stream *stream = writer->stream;
    packed->size = 0;
    make_room(packed, RECORDING_BLOCK + deflateBound(stream, writer->plain.size) + 16);
    stream->next_in = writer->plain.bytes;
    stream->avail_in = (uInt)writer->plain.size;
    stream->next_out = packed->bytes + RECORDING_BLOCK;
    stream->avail_out = (uInt)(packed->capacity - RECORDING_BLOCK);
    deflate(stream, Z_SYNC_FLUSH);
    packed->size = packed->capacity - stream->avail_out;
    size_t size = packed->size - RECORDING_BLOCK;
    put_u32(packed->bytes, size);
    put_u32(packed->bytes + 4, crc32(0, packed->bytes + RECORDING_BLOCK, (uInt)size));
}

/* One write per block, so that concurrent readers mostly see complete blocks. */
bool recording_sample(struct recording_writer *writer, const uint64_t numbers[SAMPLE_NUMBERS],
                      struct reason *why) {
    put_number(writer, RECORD_SAMPLE);
    for (int i = 0; i < SAMPLE_NUMBERS; i++) {
        put_difference(writer, numbers[i] - writer->numbers[i]);
        writer->numbers[i] = numbers[i];
    }
    put_changes(writer);
    if (writer->plain.size > RECORDING_BLOCK_MAX)
        return reason_set(why, "has more sites than a recording can hold");
    pack_block(writer);
    writer->plain.size = 0;
    return write_all(writer, writer->packed.bytes, writer->packed.size, why);
}
