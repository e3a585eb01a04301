// What makes the block in its parameter's structure grow bills who says by how much. Of a structure that is a block and numbers, a
// buffer, all functions that look into it or only call another one. Of one made of buffers who copies them all. Not one that always asks for as much, not one that
// writes to a buffer by several calls, not one that sets a member, nor the functions of a list or of a larger thing; nor one that
// goes on with a larger thing.
// RUN: %typed -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// REQUIRES: types
// CHECK: # found by their bodies
// CHECK-NEXT: fun:buffer_copy=wrapper
// CHECK-NEXT: fun:buffer_grow=wrapper
// CHECK-NEXT: fun:buffer_init=wrapper
// CHECK-NEXT: fun:buffer_put=wrapper
// CHECK-NEXT: fun:buffer_putc=wrapper
// CHECK-NEXT: fun:buffer_puts=wrapper
// CHECK-NEXT: fun:pair_copy=wrapper
// CHECK-NEXT: fun:thing_add=wrapper
// CHECK-NEXT: fun:thing_grow=wrapper
// CHECK-NEXT: fun:thing_room=wrapper
// CHECK-NOT: {{.}}
#include <stdlib.h>
#include <string.h>
struct memory {
    void *(*resize)(void *block, size_t n);
};
struct buffer {
    struct memory *memory;
    char *bytes;
    int room, used;
};
void buffer_grow(struct buffer *buffer, int n) {
    if (n <= buffer->room)
        return;
    n += n / 2;
    buffer->bytes = buffer->memory->resize(buffer->room ? buffer->bytes : NULL, n);
    buffer->room = n;
}
void buffer_init(struct memory *memory, struct buffer *buffer, int n) {
    *buffer = (struct buffer){memory, NULL, 0, 0};
    if (n > 0)
        buffer_grow(buffer, n);
}
void buffer_put(struct buffer *buffer, const char *bytes, int n) {
    buffer_grow(buffer, buffer->used + n);
    memcpy(buffer->bytes + buffer->used, bytes, n);
    buffer->used += n;
}
void buffer_putc(struct buffer *buffer, char c) {
    buffer_grow(buffer, buffer->used + 1);
    buffer->bytes[buffer->used++] = c;
}
void buffer_puts(struct buffer *buffer, const char *text) {
    buffer_put(buffer, text, strlen(text));
}
static void buffer_copy(struct buffer *to, const struct buffer *from) {
    buffer_put(to, from->bytes, from->used);
}
struct pair {
    struct buffer first, second;
};
void pair_copy(struct pair *to, const struct pair *from) {
    buffer_copy(&to->first, &from->first);
    buffer_copy(&to->second, &from->second);
}
void pair_swap(struct pair *to, const struct pair *from) {
    buffer_copy(&to->first, &from->second);
    buffer_copy(&to->second, &from->first);
}
void buffer_clear(struct buffer *buffer) {
    buffer->used = 0;
}
void quote(struct buffer *buffer, const char *text) {
    buffer_putc(buffer, '"');
    buffer_puts(buffer, text);
    buffer_putc(buffer, '"');
}
struct thing {
    struct thing *next;
    char *name;
    int *items;
    size_t count, room;
};
void thing_grow(struct thing *thing, size_t n) {
    size_t room = thing->room + 1;
    while (room < n)
        room *= 2;
    int *items = realloc(thing->items, room * sizeof *items);
    if (!items)
        abort();
    thing->items = items;
    thing->room = room;
}
size_t thing_add(struct thing *thing, size_t n) {
    if (thing->count + n > thing->room)
        thing_grow(thing, thing->count + n);
    return thing->count += n;
}
void *thing_room(struct thing *thing, size_t n) {
    size_t end = thing_add(thing, n);
    return thing->items + end - n;
}
void thing_push(struct thing *thing, int item) {
    if (thing->count == thing->room)
        thing_grow(thing, 2 * thing->room);
    *(int *)thing_room(thing, 1) = item;
}
void thing_set(struct thing *thing, const char *name) {
    thing->name = strdup(name);
}
static void thing_count(struct thing *thing) {
    for (const char *c = thing->name; *c; c++)
        thing->count += *c == ' ';
}
void thing_parse(struct thing *thing, const char *text, size_t n) {
    free(thing->name);
    thing->name = malloc(n + 1);
    memcpy(thing->name, text, n);
    thing->name[n] = 0;
    thing_count(thing);
}
void thing_both(struct thing *from, struct thing *to, size_t n) {
    thing_grow(from, n);
    thing_grow(to, n);
}
