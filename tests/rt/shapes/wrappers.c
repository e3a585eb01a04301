/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Wrappers of another file's wrappers, and functions that look like wrappers.
#define _GNU_SOURCE
#include "shapes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *xstrdup(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(xmalloc(n), text, n);
}

void *xmemdup(const void *from, size_t n) {
    void *p = xmalloc(n);
    return memcpy(p, from, n);
}

char *xasprintf(const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = xmalloc(n);
    vsnprintf(text, n, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

struct slice slice_of(const char *text) {
    struct slice slice = {xmalloc(strlen(text)), strlen(text)};
    memcpy(slice.text, text, slice.length);
    return slice;
}

void *out_again(size_t n) {
    void *block;
    return out(&block, n) == 0 ? block : NULL;
}

// Makes an object: the line is its own.
struct node *node_new(void) {
    struct node *node = xmalloc(sizeof *node);
    *node = (struct node){NULL, NULL};
    return node;
}

// The length is stored before the bytes.
char *counted_new(const char *bytes, size_t n) {
    struct text *text = xmalloc(sizeof *text + n);
    text->length = n;
    return memcpy(text->bytes, bytes, n);
}

static size_t counted_length(const char *bytes) {
    return ((const size_t *)bytes)[-1];
}

char *counted_copy(const char *bytes) {
    return counted_new(bytes, counted_length(bytes));
}

counted counted_again(const counted bytes) {
    return counted_new(bytes, counted_length(bytes));
}

char *text_bytes(const struct text *text) {
    char *bytes = xmalloc(text->length + 1);
    return memcpy(bytes, text->bytes, text->length);
}

// One path with a fixed size, another with a size from a parameter.
struct text *text_new(const char *bytes, size_t n) {
    struct text *text;
    if (n == 0) {
        text = xmalloc(sizeof *text);
    } else {
        text = xmalloc(sizeof *text + n);
        memcpy(text->bytes, bytes, n);
    }
    text->length = n;
    return text;
}

// The block of fixed size belongs to the maker of an object.
struct node *object_new(const char *name, size_t n) {
    if (n > 5)
        return node_new();
    struct node *node = xmalloc(sizeof *node + n);
    memcpy(node + 1, name, n);
    return node;
}

// Appending makes the caller's block grow.
static void buffer_grow(struct buffer *buffer, size_t n) {
    if (n <= buffer->room)
        return;
    buffer->bytes = xrealloc(buffer->bytes, n);
    buffer->room = n;
}

void buffer_add(struct buffer *buffer, const char *text) {
    size_t n = strlen(text);
    buffer_grow(buffer, buffer->used + n); // @ 2 12 2 26 0
    memcpy(buffer->bytes + buffer->used, text, n);
    buffer->used += n;
}

void buffer_addc(struct buffer *buffer, char c) {
    buffer_grow(buffer, buffer->used + 1); // @ 0 0 1 8 0
    buffer->bytes[buffer->used++] = c;
}

// Through a pointer that only this file sees.
static int convert_upper(struct buffer *buffer, const char *text) {
    buffer_grow(buffer, buffer->used + strlen(text)); // @ 1 2 0 0 0
    while (*text)
        buffer->bytes[buffer->used++] = *text++ & ~32;
    return 0;
}

static int convert_wide(struct buffer *buffer, const char *text) {
    buffer_grow(buffer, buffer->used + 2 * strlen(text)); // @ 0 0 1 10 0
    for (; *text; buffer->used += 2)
        memcpy(buffer->bytes + buffer->used, (char[]){*text++, 0}, 2);
    return 0;
}

static int (*const converters[])(struct buffer *, const char *) = {convert_upper, convert_wide};

int buffer_convert(struct buffer *buffer, const char *text, int how) {
    if (!*text) {
        buffer_grow(buffer, buffer->used + 1);
        buffer->bytes[buffer->used] = 0;
    }
    return converters[how](buffer, text);
}

// A buffer with an end pointer.
void span_add(struct span *span, const char *text) {
    size_t used = span->end - span->start, n = strlen(text);
    span->start = xrealloc(span->start, used + n); // @ 1 6 1 9 0
    memcpy(span->start + used, text, n);
    span->end = span->start + used + n;
}

// A buffer whose members no other file sees.
struct hidden {
    void **items;
    unsigned room, used;
};

struct hidden *hidden_new(void) {
    return xcalloc(1, sizeof(struct hidden));
}

unsigned hidden_add(struct hidden *hidden, void *item) {
    if (hidden->used == hidden->room) {
        hidden->room = hidden->room ? 2 * hidden->room : 2;
        hidden->items = xrealloc(hidden->items, hidden->room * sizeof item);
    }
    hidden->items[hidden->used] = item;
    return hidden->used++;
}

// In an object that has buffers.
int message_set(struct message *message, const char *text, size_t n) {
    message->body.used = 0;
    buffer_grow(&message->body, n); // @ 1 9 1 12 0
    memcpy(message->body.bytes, text, n);
    message->state++;
    return 0;
}

// The only known fact is that space is requested.
void section_reserve(struct section *section, size_t new_size) {
    section->bytes = xrealloc(section->bytes, new_size);
    section->room = new_size;
}

// The declaration does not reveal that it allocates, so calls from other files are no sites.
void *made_as(struct pattern *pattern) {
    return xmalloc(pattern->size);
}

// Makes a text as long as the sum of its parts.
struct text *text_joined(struct node *list, int again) {
    size_t n = 0;
    for (struct node *node = list; node; node = node->next)
        n += 4 + again;
    struct text *text = text_new("", n);
    text->bytes[0] = 0;
    return text;
}

void give_back(void *p) {
    xfree(p);
}

void slice_free(struct slice slice) {
    xfree(slice.text);
}

// In a list through a header, which is not the returned pointer.
static struct node *all;
void *tracked(size_t n) {
    struct node *header = xmalloc(sizeof *header + n);
    header->next = all;
    all = header;
    return header + 1;
}

// Keeps a list of all returned blocks.
static struct node *heap;
void *collected(size_t n) {
    struct node *header = malloc(n);
    header->next = heap;
    heap = header;
    return header;
}

// A block freed earlier, one that needs no allocation, or one only for the caller.
static struct node *spare;
static size_t taken;
void *pooled(size_t n) {
    static char nothing[1];
    struct node *node = spare;
    if (n == 0)
        return nothing;
    if (!node) {
        node = xmalloc(n); // @ 1 65 0 0 0
        taken += usable(node);
        return node;
    }
    spare = node->next;
    return node;
}

void pooled_free(void *p) {
    ((struct node *)p)->next = spare;
    spare = p;
}

// Memory for the caller, recorded so that it can be freed later.
struct note {
    struct note *next;
    void *block;
};
struct pool {
    struct note *notes;
};
static struct pool pool;

void *noted(size_t n) {
    void *block = xmalloc(n);
    for (struct note *note = pool.notes; note; note = note->next)
        if (!note->block)
            return note->block = block;
    struct note *note = xmalloc(sizeof *note);
    *note = (struct note){pool.notes, block};
    pool.notes = note;
    return block;
}

void noted_free(void *block) {
    for (struct note *note = pool.notes; note; note = note->next)
        if (note->block == block)
            note->block = NULL;
    xfree(block);
}

// Small blocks are cut from chunks, so it does not pass through. Large ones are summed up after the call, because a
// tail jump into another file would leave no frame.
struct chunk {
    size_t used;
    char bytes[100];
};
static struct chunk *chunks[10];
static volatile size_t large_bytes;

static struct chunk *chunk_at(int i) {
    if (!chunks[i])
        chunks[i] = xcalloc(1, sizeof **chunks); // @ 1 112 0 0 0
    return chunks[i];
}

void *cut(size_t n) {
    if (n > 100) {
        void *large = xmalloc(n); // @ 1 101 0 0 0
        large_bytes += n;
        return large;
    }
    struct chunk *chunk = chunk_at(n / 50);
    chunk->used += n;
    return chunk->bytes + chunk->used - n;
}

// The first block, with the size that the structure stores.
int record_init(struct record *record, size_t new_size) {
    record->text = xmalloc(new_size);
    record->size = new_size;
    return 0;
}

// The structure belongs to the function, its content to its caller.
struct vector *vector_new(size_t n) {
    struct vector *vector = xmalloc(sizeof *vector);
    vector->items = xmalloc(n * sizeof *vector->items);
    vector->room = n;
    vector->used = 0;
    return vector;
}

struct vector *vector_filled(long item, size_t n) {
    struct vector *vector = vector_new(n);
    while (vector->used < n)
        vector->items[vector->used++] = item;
    return vector;
}

struct grid grid_make(int cellCount) {
    struct grid grid = {0};
    grid.count = cellCount;
    grid.cells = xmalloc(cellCount * sizeof *grid.cells);
    return grid;
}

// Frees nothing and moves blocks.
void *list_push(struct list *list) {
    if (list->used == list->room) {
        void *more = xmalloc(2 * list->room * list->size); // @ 2 24 0 0 0
        memcpy(more, list->items, list->used * list->size);
        list->items = more;
        list->room *= 2;
    }
    return (char *)list->items + list->size * list->used++;
}

// The container keeps the item; that it returns another one is visible only here.
void list_append(struct list *list, void *item) {
    memcpy(list_push(list), item, list->size);
}

void list_drop(struct list *list, void *block) {
    list->used--;
    xfree(block);
}

void *item_at(const struct list *list, size_t idx) {
    return (char *)list->items + list->size * idx;
}

void stack_extend(void **first, void **top, void **end) {
    size_t room = (char *)*end - (char *)*first, used = (char *)*top - (char *)*first;
    char *more = xrealloc(*first, 2 * room);
    *first = more;
    *top = more + used;
    *end = more + 2 * room;
}

void array_add(void *items, int *item_count, void *item) {
    int n = *item_count;
    void **all = *(void ***)items;
    if ((n & (n - 1)) == 0) {
        all = xrealloc(all, (n ? 2 * n : 1) * sizeof *all); // @ 1 8 1 16 0
        *(void ***)items = all;
    }
    all[n++] = item;
    *item_count = n;
}

// It allocates for itself as much as its size says.
struct arena {
    char *next, *end;
    struct arena *last;
    int chunks;
};

struct arena *arena_new(size_t n) {
    struct arena *arena = xmalloc(n);
    arena->next = (char *)(arena + 1);
    arena->end = (char *)arena + n;
    arena->last = arena;
    arena->chunks = 1;
    return arena;
}

static void *arena_chunk(struct arena *arena, size_t n) {
    size_t size = arena->end - (char *)arena;
    char *bytes = xmalloc(size);
    struct arena *chunk = (struct arena *)bytes;
    chunk->end = bytes + size;
    chunk->chunks = 0;
    bytes += sizeof *chunk;
    chunk->next = bytes + n;
    arena->last = chunk;
    arena->chunks++;
    return bytes;
}

void *arena_get(struct arena *arena, size_t n) {
    if (n > 50)
        return xmalloc(n); // @ 1 60 0 0 0
    char *bytes = arena->last->next;
    if ((size_t)(arena->last->end - bytes) < n)
        return arena_chunk(arena, n); // @ 1 100 0 0 0
    arena->last->next += n;
    return bytes;
}

// Keeps blocks that this or another function finds again.
static struct text *names, *kept;
struct text *interned(size_t n) {
    struct text *text;
    for (text = names; text; text = *(struct text **)text->bytes)
        if (text->length == n)
            return text;
    text = xmalloc(sizeof *text + n); // @ 1 98 0 0 0
    text->length = n;
    *(struct text **)text->bytes = names;
    names = text;
    return text;
}

struct text *kept_elsewhere(size_t n) {
    if (kept && kept->length == n)
        return kept;
    struct text *text = xmalloc(sizeof *text + n); // @ 1 99 0 0 0
    text->length = n;
    keep(&kept, text);
    return text;
}

// Keeps the block that it returns, so it is the owner.
static void *table[100];
void *registered(size_t n) {
    if (!table[n])
        table[n] = xmalloc(n); // @ 1 50 0 0 0
    return table[n];
}

void *registered_find(size_t n) {
    return table[n];
}

struct node *find(struct node *list, int key) {
    while (list && key--)
        list = list->next;
    return list;
}

char *find_text(const char *name) {
    static char texts[2][4] = {"one", "two"};
    return strcmp(name, texts[0]) == 0 ? texts[0] : texts[1];
}
