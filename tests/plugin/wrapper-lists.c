// A block that is linked into lists as well, where it stands before those that were there, belongs to the caller. Kept in any other
// way it does not: at the place of another block alone, behind a pointer to its owner, or in a table by a hash; but for memory that
// nothing is made of, which is noted in an array to be freed.
// RUN: %clang -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// CHECK: # found by their bodies
// CHECK-NEXT: fun:appended=wrapper size=2
// CHECK-NEXT: fun:array=wrapper size=1
// CHECK-NEXT: fun:collected=wrapper size=2
// CHECK-NEXT: fun:headed=wrapper size=2
// CHECK-NEXT: fun:queued=wrapper size=1
// CHECK-NOT: {{.}}
#include <stdlib.h>
struct link {
    struct link *next, *previous;
};
static _Thread_local struct {
    size_t count;
    struct link *blocks, *weak;
} heap;
void *collected(int kind, size_t n) {
    struct link *block = malloc(n);
    heap.count += n;
    if (kind) {
        block->next = heap.blocks;
        heap.blocks = block;
    } else {
        block->next = heap.weak;
        heap.weak = block;
    }
    return block;
}
static void between(struct link *block, struct link *previous, struct link *next) {
    previous->next = block;
    block->previous = previous;
    block->next = next;
    next->previous = block;
}
static void append(struct link *block, struct link *head) {
    between(block, head->previous, head);
}
struct object {
    int kind;
    struct link link;
};
struct runtime {
    struct link *objects;
    struct link strings;
};
void *appended(struct runtime *runtime, size_t n) {
    struct object *object = malloc(sizeof *object + n);
    object->kind = 0;
    append(&object->link, &runtime->strings);
    return object;
}
void *headed(struct runtime *runtime, size_t n) {
    struct link *block = malloc(n);
    if ((block->next = runtime->objects) != NULL)
        runtime->objects->previous = block;
    runtime->objects = block;
    return block;
}
static struct link *first, **last = &first;
void *queued(size_t n) {
    struct object *block = malloc(n);
    block->link.next = NULL;
    block->link.previous = (struct link *)last;
    *last = &block->link;
    last = &block->link.next;
    return block;
}
struct owner {
    struct owner *owner;
    char *block;
};
void *owned(struct owner *owner, size_t n) {
    struct owner *block = malloc(n);
    block->owner = owner;
    owner->block = (char *)block;
    return block;
}
void *hashed(struct link **table, size_t hash, size_t n) {
    struct link *block = malloc(n), **slot = &table[hash % 16];
    block->next = *slot;
    *slot = block;
    return block;
}
static struct link *cache, *other;
void *cached(size_t n) {
    if (!cache)
        cache = malloc(n);
    return cache;
}
void *last_one(size_t n) {
    struct link *block = malloc(n);
    block->next = other;
    cache = block;
    return block;
}
static void *tracker[100];
static unsigned tracked;
void *array(size_t n) {
    void *block = malloc(n);
    tracker[tracked++] = block;
    return block;
}
