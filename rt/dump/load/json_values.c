/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A JSON document as values. */
#include "dump/load/json_field.h"

#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { DEPTH = 32, MEMBERS = 256, PIECE = 64 << 10, ALIGNMENT = 8 };

/* ---- Memory of values, which is given back from the last one on. */

struct piece {
    struct piece *before;
    size_t size;
    char bytes[];
};

struct place_in {
    struct piece *piece;
    size_t used;
};

struct json_document {
    yajl_handle parser;
    struct place_in memory, mark; /* mark: where the element of a long array begins */
    struct json_value *open[DEPTH];
    struct json_value *before; /* the element that was last before this one */
    size_t depth;
    struct json_value *value;
    const char *name;
    uint32_t name_length;
    const char *wrong; /* besides what the parser finds */
    bool is_stopped;
    json_take *take;
    void *context;
    size_t line, column; /* behind what was fed, from 0 */
};

static void *take_memory(struct json_document *document, size_t size) {
    struct place_in *memory = &document->memory;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!memory->piece || size > memory->piece->size - memory->used) {
        size_t room = size > PIECE ? size : PIECE;
        struct piece *piece = memory_need(malloc(sizeof *piece + room));
        *piece = (struct piece){.before = memory->piece, .size = room};
        *memory = (struct place_in){.piece = piece};
    }
    memory->used += size;
    return memory->piece->bytes + memory->used - size;
}

static void give_back(struct json_document *document, struct place_in to) {
    while (document->memory.piece != to.piece) {
        struct piece *before = document->memory.piece->before;
        free(document->memory.piece);
        document->memory.piece = before;
    }
    document->memory = to;
}

static const char *copy(struct json_document *document, const unsigned char *bytes, size_t length) {
    char *text = take_memory(document, length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

/* ---- Values, as the parser tells of them. What these return goes on: 0 ends the parsing. */

static int refuse(struct json_document *document, const char *what) {
    document->wrong = what;
    return 0;
}

static struct json_value *innermost(const struct json_document *document) {
    return document->depth ? document->open[document->depth - 1] : NULL;
}

static bool is_in_long_array(const struct json_document *document) {
    return document->depth == 2 && document->open[0]->kind == JSON_OBJECT &&
           document->open[1]->kind == JSON_ARRAY;
}

static void link_to(struct json_document *document, struct json_value *value) {
    struct json_value *parent = innermost(document);
    if (!parent) {
        document->value = value;
        return;
    }
    if (parent->kind == JSON_OBJECT) {
        value->name = document->name;
        value->name_length = document->name_length;
    }
    *(parent->last ? &parent->last->next : &parent->first) = value;
    parent->last = value;
    parent->size++;
}

static struct json_value *add(struct json_document *document, enum json_kind kind) {
    if (is_in_long_array(document)) {
        document->mark = document->memory;
        document->before = document->open[1]->last;
    }
    struct json_value *value = take_memory(document, sizeof *value);
    *value = (struct json_value){.kind = kind, .first = NULL};
    link_to(document, value);
    return value;
}

static void forget(struct json_document *document, struct json_value *array) {
    array->last = document->before;
    *(document->before ? &document->before->next : &array->first) = NULL;
    give_back(document, document->mark);
}

/* Every value comes here when it is whole. */
static int end(struct json_document *document) {
    if (!is_in_long_array(document))
        return 1;
    struct json_value *array = document->open[1];
    enum json_taking taking =
        document->take(document->context, document->value, array->name, array->size - 1, array->last);
    document->is_stopped = taking == JSON_STOP;
    if (taking == JSON_TAKEN)
        forget(document, array);
    return taking != JSON_STOP;
}

static int on_null(void *context) {
    add(context, JSON_NULL);
    return end(context);
}

static int on_boolean(void *context, int is_true) {
    add(context, is_true ? JSON_TRUE : JSON_FALSE);
    return end(context);
}

/* Nineteen digits or fewer cannot pass 64 bits. */
static bool read_count(const char *digits, size_t length, uint64_t *count) {
    *count = 0;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        *count = *count * 10 + (uint64_t)(digits[i] - '0');
    }
    return length < 20 && *count <= INT64_MAX;
}

static int on_number(void *context, const char *digits, size_t length) {
    uint64_t count;
    bool is_count = read_count(digits, length, &count);
    struct json_value *value = add(context, is_count ? JSON_COUNT : JSON_NUMBER);
    value->count = is_count ? count : 0;
    return end(context);
}

static int on_text(void *context, const unsigned char *bytes, size_t length) {
    if (memchr(bytes, 0, length))
        return refuse(context, "a character of number 0");
    struct json_value *value = add(context, JSON_TEXT);
    value->text = copy(context, bytes, length);
    return end(context);
}

static bool has_name(const struct json_value *value, const void *name, size_t length) {
    return value->name_length == length && memcmp(value->name, name, length) == 0;
}

/* Most names differ in these. */
static uint64_t bit_of(const unsigned char *name, size_t length) {
    return UINT64_C(1) << ((length * 5 + (length ? name[0] + name[length / 2] * 3 : 0)) & 63);
}

static bool is_there(const struct json_value *object, const unsigned char *name, size_t length) {
    bool may_be = object->names & bit_of(name, length);
    for (struct json_value *other = object->first; other && may_be; other = other->next)
        if (has_name(other, name, length))
            return true;
    return false;
}

static int on_name(void *context, const unsigned char *bytes, size_t length) {
    struct json_document *document = context;
    struct json_value *object = innermost(document);
    if (object->size == MEMBERS)
        return refuse(document, "an object with too many members");
    if (length > UINT32_MAX || memchr(bytes, 0, length))
        return refuse(document, "a character of number 0");
    if (is_there(object, bytes, length))
        return refuse(document, "two members of one name");
    object->names |= bit_of(bytes, length);
    document->name = copy(document, bytes, length);
    document->name_length = (uint32_t)length;
    return 1;
}

static int open_value(struct json_document *document, enum json_kind kind) {
    struct json_value *value = add(document, kind);
    if (document->depth == DEPTH)
        return refuse(document, "too many values within each other");
    document->open[document->depth++] = value;
    return 1;
}

static int on_object(void *context) {
    return open_value(context, JSON_OBJECT);
}

static int on_array(void *context) {
    return open_value(context, JSON_ARRAY);
}

static int on_close(void *context) {
    ((struct json_document *)context)->depth--;
    return end(context);
}

/* ---- The document. */

struct json_document *json_document_new(json_take *take, void *context) {
    static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                             .yajl_boolean = on_boolean,
                                             .yajl_number = on_number,
                                             .yajl_string = on_text,
                                             .yajl_start_map = on_object,
                                             .yajl_map_key = on_name,
                                             .yajl_end_map = on_close,
                                             .yajl_start_array = on_array,
                                             .yajl_end_array = on_close};
    struct json_document *document = memory_zeros(1, sizeof *document);
    document->take = take;
    document->context = context;
    document->parser = memory_need(yajl_alloc(&callbacks, NULL, document));
    return document;
}

void json_document_free(struct json_document *document) {
    if (!document)
        return;
    yajl_free(document->parser);
    give_back(document, (struct place_in){0});
    free(document);
}

static void count_lines(struct json_document *document, const char *bytes, size_t size) {
    for (const char *at = bytes, *line; size; size -= (size_t)(line - at), at = line) {
        line = memchr(at, '\n', size);
        line = line ? line + 1 : at + size;
        document->column += (size_t)(line - at);
        if (line[-1] == '\n') {
            document->line++;
            document->column = 0;
        }
    }
}

static bool tell(struct json_document *document, const char *bytes, size_t size, struct reason *why) {
    size_t read = yajl_get_bytes_consumed(document->parser);
    unsigned char *text = yajl_get_error(document->parser, 0, NULL, 0);
    if (text)
        text[strcspn((char *)text, "\n")] = '\0';
    if (bytes)
        count_lines(document, bytes, read < size ? read : size);
    if (!document->is_stopped)
        reason_set(why, "is not JSON: line %zu, column %zu: %s", document->line + 1, document->column + 1,
                   document->wrong ?: (const char *)text);
    yajl_free_error(document->parser, text);
    return false;
}

bool json_document_feed(struct json_document *document, const char *bytes, size_t size, struct reason *why) {
    if (yajl_parse(document->parser, (const unsigned char *)bytes, size) != yajl_status_ok)
        return tell(document, bytes, size, why);
    count_lines(document, bytes, size);
    return true;
}

bool json_document_end(struct json_document *document, struct reason *why) {
    return yajl_complete_parse(document->parser) == yajl_status_ok || tell(document, NULL, 0, why);
}

struct json_value *json_document_value(const struct json_document *document) {
    return document->value;
}

/* Who reads asks for members in the order of who wrote; those that few objects have are mostly not there. */
struct json_value *json_member(struct json_value *object, const char *name) {
    size_t length = strlen(name);
    if (!object || object->kind != JSON_OBJECT ||
        !(object->names & bit_of((const unsigned char *)name, length)))
        return NULL;
    struct json_value *from = object->asked ? object->asked->next : NULL, *value = from;
    for (; value; value = value->next)
        if (has_name(value, name, length))
            break;
    for (struct json_value *at = object->first; !value && at != from; at = at->next)
        if (has_name(at, name, length))
            value = at;
    if (value)
        object->asked = value;
    return value;
}
