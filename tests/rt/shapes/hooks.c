/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Allocation through pointers that other files set.
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

void *allocator_get(const struct allocator *allocator, size_t n) {
    return allocator->alloc(allocator->self, n);
}

static void *(*hook)(size_t) = malloc;

void set_hook(void *(*alloc)(size_t)) {
    hook = alloc ? alloc : malloc;
}

void *hook_malloc(size_t n) {
    return hook(n);
}

char *hook_strdup(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = (char *)hook(n);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

// The function's record comes from the first of two calls through one pointer.
struct record *hook_record(size_t new_size) {
    struct record *record = hook(sizeof *record);
    record->size = new_size;
    record->text = hook(record->size);
    return record;
}

void *state_realloc(struct state *state, void *p, size_t old, size_t n) {
    void *q = state->frealloc(state->ud, p, old, n);
    if (!q && n)
        q = state->frealloc(state->ud, p, old, n);
    return q;
}

struct text *state_text(struct state *state, const char *bytes, size_t length) {
    struct text *text = state_realloc(state, NULL, 0, sizeof *text + length);
    text->length = length;
    memcpy(text->bytes, bytes, length);
    return text;
}

void *stream_get(struct stream *stream, unsigned items, unsigned size) {
    return stream->zalloc(stream->opaque, items, size);
}

struct slice slicer_get(const struct slicer *slicer, size_t n) {
    return slicer->get(n);
}

static void (*free_hook)(void *) = free;

void hook_free(void *p) {
    if (p)
        free_hook(p);
}

void state_free(struct state *state, void *p) {
    state->frealloc(state->ud, p, 0, 0);
}

// Calls functions in other files that grow buffers.
void buffer_addln(struct buffer *buffer, const char *text) {
    buffer_add(buffer, text);
}

int message_both(struct message *message, const char *text, size_t n) {
    return message_set(message, text, n);
}
