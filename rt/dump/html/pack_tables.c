/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts, frames and nodes, once each. */
#include "dump/html/pack.h"

#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_text(const void *key, const void *context, size_t element) {
    return strcmp(((const struct pack_tables *)context)->texts[element], key) == 0;
}

size_t pack_text(struct pack_tables *tables, const char *text) {
    if (!text)
        return 0;
    uint64_t hash = hash_text(0, text);
    size_t found = hash_find(&tables->text_index, hash, is_text, text, tables);
    if (found != HASH_NONE)
        return found + 1;
    memory_grow(&tables->texts, tables->text_count, &tables->text_room, sizeof *tables->texts);
    hash_put(&tables->text_index, hash, tables->text_count);
    tables->texts[tables->text_count] = text;
    return ++tables->text_count;
}

/* Frames and nodes are compared as bytes: they have no padding. */
static bool is_frame(const void *key, const void *context, size_t element) {
    return memcmp(&((const struct pack_tables *)context)->frames[element], key, sizeof(struct pack_frame)) ==
           0;
}

static bool is_node(const void *key, const void *context, size_t element) {
    return memcmp(&((const struct pack_tables *)context)->nodes[element], key, sizeof(struct pack_node)) == 0;
}

static size_t frame_of(struct pack_tables *tables, const struct tree_place *place) {
    struct pack_frame frame = {.function = pack_text(tables, place->function),
                               .file = pack_text(tables, place->file),
                               .module = pack_text(tables, place->module),
                               .line = place->line,
                               .column = place->column,
                               .address = place->address};
    uint64_t hash = hash_bytes(0, &frame, sizeof frame);
    size_t found = hash_find(&tables->frame_index, hash, is_frame, &frame, tables);
    if (found != HASH_NONE)
        return found;
    memory_grow(&tables->frames, tables->frame_count, &tables->frame_room, sizeof frame);
    hash_put(&tables->frame_index, hash, tables->frame_count);
    tables->frames[tables->frame_count] = frame;
    return tables->frame_count++;
}

static size_t child_of(struct pack_tables *tables, size_t parent, size_t frame) {
    struct pack_node node = {.parent = parent, .frame = frame};
    uint64_t hash = hash_bytes(0, &node, sizeof node);
    size_t found = hash_find(&tables->node_index, hash, is_node, &node, tables);
    if (found != HASH_NONE)
        return found + 1;
    memory_grow(&tables->nodes, tables->node_count, &tables->node_room, sizeof node);
    hash_put(&tables->node_index, hash, tables->node_count);
    tables->nodes[tables->node_count] = node;
    return ++tables->node_count;
}

size_t pack_path(struct pack_tables *tables, const struct tree_path *path) {
    size_t node = 0;
    for (size_t i = path->count; i-- > 0;)
        node = child_of(tables, node, frame_of(tables, &path->places[i]));
    return node;
}

/* Each element behind a comma, but for the first one. */
#define PUT_COLUMN(json, key, count, value)                                                                  \
    do {                                                                                                     \
        json_open(json, key, '[');                                                                           \
        for (size_t i = 0; i < (count); i++)                                                                 \
            json_number(json, NULL, value);                                                                  \
        json_close(json, ']');                                                                               \
    } while (0)

static void put_frames(struct json *json, const struct pack_tables *tables) {
    json_open(json, "frames", '{');
    PUT_COLUMN(json, "function", tables->frame_count, tables->frames[i].function);
    PUT_COLUMN(json, "file", tables->frame_count, tables->frames[i].file);
    PUT_COLUMN(json, "line", tables->frame_count, tables->frames[i].line);
    PUT_COLUMN(json, "column", tables->frame_count, tables->frames[i].column);
    PUT_COLUMN(json, "module", tables->frame_count, tables->frames[i].module);
    json_open(json, "address", '[');
    for (size_t i = 0; i < tables->frame_count; i++)
        if (tables->frames[i].address)
            json_address(json, NULL, tables->frames[i].address);
        else
            json_number(json, NULL, 0);
    json_close(json, ']');
    json_close(json, '}');
}

void pack_tables_write(struct json *json, const struct pack_tables *tables) {
    json_line(json);
    put_frames(json, tables);
    json_open(json, "nodes", '{');
    json_open(json, "parent", '[');
    json_number(json, NULL, 0);
    for (size_t i = 0; i < tables->node_count; i++)
        json_number(json, NULL, tables->nodes[i].parent);
    json_close(json, ']');
    json_open(json, "frame", '[');
    json_number(json, NULL, 0);
    for (size_t i = 0; i < tables->node_count; i++)
        json_number(json, NULL, tables->nodes[i].frame);
    json_close(json, ']');
    json_close(json, '}');
    json_line(json);
    json_open(json, "strings", '[');
    json_text(json, NULL, NULL);
    for (size_t i = 0; i < tables->text_count; i++)
        pack_string(json, NULL, tables->texts[i]);
    json_close(json, ']');
}

void pack_tables_free(struct pack_tables *tables) {
    hash_free(&tables->text_index);
    hash_free(&tables->frame_index);
    hash_free(&tables->node_index);
    free(tables->texts);
    free(tables->frames);
    free(tables->nodes);
}
