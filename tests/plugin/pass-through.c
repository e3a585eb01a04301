// A function passes through if each pointer that it returns, or stores in memory it received, is a block,
// null or its own argument, and at least one is a block. Names and counts do not matter. Otherwise the line
// is in the function.
// RUN: %clang -O2 -c %s -o %t.o
// RUN: %functions %t.o | %check --implicit-check-not=_through
// RUN: %clang -O0 -c %s -o %t.o
// RUN: %functions %t.o | %check --implicit-check-not=_through
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *what);
struct node {
    struct node *next;
    char *text;
    int number;
};
struct table {
    struct node *buckets[64];
};
struct vector {
    void *items;
    size_t count, room;
};

// CHECK: passes_through  add  pass-through.c{{$}}
void add(struct vector *v, void *item) {
    if (v->count == v->room)
        v->items = realloc(v->items, (v->room *= 2) * sizeof item);
    ((void **)v->items)[v->count++] = item;
}

// Pointer arithmetic through integers, past a header, still yields the block.
// CHECK: passes_through  aligned  pass-through.c{{$}}
void *aligned(size_t size, size_t align) {
    char *block = malloc(size + align);
    if (!block)
        return NULL;
    char *start = (char *)(((uintptr_t)block + sizeof block + align) & ~(align - 1));
    ((char **)start)[-1] = block;
    return start;
}

// CHECK: passes_through  by_hook  pass-through.c{{$}}
static void *(*allocate)(size_t);
void *by_hook(size_t size) {
    return allocate(size);
}

// CHECK: passes_through  checked  pass-through.c{{$}}
static void *check(void *block) {
    if (!block)
        die("memory");
    return block;
}
void *checked(size_t size) {
    return check(malloc(size));
}

// CHECK: passes_through  formatted  pass-through.c{{$}}
char *formatted(int number) {
    char *text;
    if (asprintf(&text, "%d", number) < 0)
        die("memory");
    return text;
}

// CHECK: passes_through  grow  pass-through.c{{$}}
void grow(void *place, size_t size) {
    void **p = place, *larger = realloc(*p, size);
    if (!larger)
        die("memory");
    *p = larger;
}

// A fixed point: each function may return the other's result if no other pointer is returned.
// CHECK: passes_through  left  pass-through.c{{$}}
void *right(size_t size);
void *left(size_t size) {
    return size > 100 ? right(size - 1) : malloc(size);
}

// A text stored in a new node is the content of a block, and linking nodes does not change the result for the
// caller.
// CHECK: passes_through  make_node  pass-through.c{{$}}
struct node *make_node(struct table *t, const char *text) {
    struct node *x = malloc(sizeof *x);
    x->text = strdup(text);
    x->next = t->buckets[3];
    t->buckets[3] = x;
    return x;
}

// CHECK: passes_through  out  pass-through.c{{$}}
bool out(struct node **result) {
    *result = calloc(1, sizeof **result);
    return *result;
}

// CHECK: passes_through  print  pass-through.c{{$}}
int print(char **text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

// CHECK: passes_through  read_line  pass-through.c{{$}}
char *read_line(FILE *file) {
    char *line = NULL;
    size_t room = 0;
    return getline(&line, &room, file) < 0 ? NULL : line;
}

// CHECK: passes_through  right  pass-through.c{{$}}
void *right(size_t size) {
    return left(size / 2);
}

// CHECK: passes_through  set  pass-through.c{{$}}
char *set(char **p, const char *s) {
    free(*p);
    return *p = strdup(s);
}

// CHECK: passes_through  through_variable  pass-through.c{{$}}
struct node *through_variable(void) {
    struct node *node;
    return out(&node) ? node : NULL;
}

// CHECK: passes_through  vector_make  pass-through.c{{$}}
struct vector vector_make(size_t count) {
    struct vector v = {.count = count, .room = count};
    v.items = malloc(count);
    return v;
}

// CHECK: passes_through  xrealloc  pass-through.c{{$}}
void *xrealloc(void *block, size_t size) {
    void *larger;
    while (!(larger = realloc(block, size)))
        die("memory");
    return memset(larger, 0, size);
}

// Not pass-through functions: they return something found, something constant, or part of something existing.
struct node *intern(struct table *t, const char *text) {
    for (struct node *x = t->buckets[1]; x; x = x->next)
        if (!strcmp(x->text, text))
            return x;
    return make_node(t, text);
}
static struct node *unused;
struct node *recycle(void) {
    struct node *x = unused;
    if (x)
        unused = x->next;
    else
        x = malloc(sizeof *x);
    return x;
}
const char *or_empty(size_t size) {
    return size ? malloc(size) : "";
}
void *lazy(void **p) {
    if (!*p)
        *p = malloc(10);
    return *p;
}
char *chunk(struct vector *pool, size_t size) {
    if (pool->room < size)
        pool->items = malloc(pool->room = 4096);
    char *piece = pool->items;
    pool->items = piece + size;
    pool->room -= size;
    return piece;
}
void number(struct node *node) {
    int *block = malloc(10);
    node->number = *block;
    free(block);
}
void trace(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) > 0)
        puts(text);
    va_end(arguments);
    free(text);
}
static const char *names[] = {"a", "b"};
void name(struct node *node) {
    node->next = malloc(sizeof *node);
    node->text = (char *)names[node->number];
}
void *same(void *p) {
    free(malloc(1));
    return p;
}
// These never return a block from an allocator, however they call each other.
const char *round_one(const char *p);
const char *round_two(const char *p) {
    free(malloc(1));
    return *p ? round_one(p + 1) : p;
}
const char *round_one(const char *p) {
    free(malloc(1));
    return *p ? round_two(p + 1) : NULL;
}
