/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of a profile that is written. */
#include "name_writer.h"

#include <stdlib.h>
#include <string.h>

/* Where chunk number of the names ends. */
static uint64_t chunk_end(unsigned number) {
    return PROFILE_NAMES_FIRST * ((UINT64_C(2) << number) - 1);
}

/* The first place behind all others, aligned to 4, where so many bytes do not lie in two chunks. Offset 0
 * means nothing. */
static uint64_t next_place(const struct name_writer *writer, size_t size) {
    uint64_t at = writer->size ? (writer->size + 3) / 4 * 4 : 4;
    for (unsigned number = 0; number < PROFILE_CHUNKS; number++)
        if (at < chunk_end(number) && at + size <= chunk_end(number))
            return at;
        else if (at < chunk_end(number))
            at = chunk_end(number);
    return UINT32_MAX;
}

static bool make_room(struct name_writer *writer, uint64_t size) {
    size_t room = writer->room ? writer->room : PROFILE_NAMES_FIRST;
    while (room < size)
        room *= 2;
    if (room == writer->room)
        return true;
    char *larger = realloc(writer->bytes, room);
    if (!larger)
        return false;
    memset(larger + writer->room, 0, room - writer->room);
    writer->bytes = larger;
    writer->room = room;
    return true;
}

static bool append(struct name_writer *writer, struct hash_index *index, uint64_t hash, const void *bytes,
                   size_t size, profile_name *name) {
    uint64_t at = next_place(writer, size);
    writer->is_full |= at + size > UINT32_MAX;
    if (writer->is_full || !make_room(writer, at + size) || !hash_add(index, hash, at))
        return false;
    memcpy(writer->bytes + at, bytes, size);
    writer->size = at + size;
    *name = (profile_name)at;
    return true;
}

static bool is_string(const void *key, const void *context, size_t element) {
    const struct name_writer *writer = context;
    return strcmp(key, writer->bytes + element) == 0;
}

bool name_write(struct name_writer *writer, const char *text, profile_name *name) {
    *name = 0;
    if (!text)
        return true;
    uint64_t hash = hash_text(0, text);
    size_t found = hash_find(&writer->strings, hash, is_string, text, writer);
    if (found == HASH_NONE)
        return append(writer, &writer->strings, hash, text, strlen(text) + 1, name);
    *name = (profile_name)found;
    return true;
}

/* What is looked for among what was written. */
struct fixed {
    const struct name_writer *writer;
    size_t size;
};

static bool is_fixed(const void *key, const void *context, size_t element) {
    const struct fixed *fixed = context;
    return memcmp(key, fixed->writer->bytes + element, fixed->size) == 0;
}

static bool write_fixed(struct name_writer *writer, struct hash_index *index, const void *bytes, size_t size,
                        profile_name *name) {
    struct fixed fixed = {writer, size};
    uint64_t hash = hash_bytes(0, bytes, size);
    size_t found = hash_find(index, hash, is_fixed, bytes, &fixed);
    if (found == HASH_NONE)
        return append(writer, index, hash, bytes, size, name);
    *name = (profile_name)found;
    return true;
}

bool name_write_frame(struct name_writer *writer, const struct profile_frame *frame, profile_name *name) {
    return write_fixed(writer, &writer->frames, frame, sizeof *frame, name);
}

bool name_write_step(struct name_writer *writer, const struct profile_step *step, profile_name *name) {
    return write_fixed(writer, &writer->steps, step, sizeof *step, name);
}

static bool write_frame(struct name_writer *writer, const struct place *place, profile_name *frame) {
    struct profile_frame key = {.line = place->line, .column = place->column, .caller = *frame};
    return name_write(writer, place->function, &key.function) && name_write(writer, place->file, &key.file) &&
           name_write_frame(writer, &key, frame);
}

bool name_write_chain(struct name_writer *writer, const struct place *places, size_t count,
                      profile_name *frame) {
    for (*frame = 0; count; count--)
        if (!write_frame(writer, &places[count - 1], frame))
            return false;
    return true;
}

void name_writer_free(struct name_writer *writer) {
    free(writer->bytes);
    hash_free(&writer->strings);
    hash_free(&writer->frames);
    hash_free(&writer->steps);
}
