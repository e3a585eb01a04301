// Where a structure gets its first block of the size that the caller says, and notes that number, the caller is billed: also if the
// function makes the structure as well, which is its own then, as is what makes no block of a size that is given. Not a
// text, nor a block that nothing notes the size of, nor what the structure itself says the size of; not a list's next node.
// RUN: %typed -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// REQUIRES: types
// CHECK: # found by their bodies
// CHECK-NEXT: fun:number_init=wrapper
// CHECK-NEXT: fun:pool_init=wrapper
// CHECK-NEXT: fun:pool_open=wrapper
// CHECK-NEXT: fun:pool_rounded=wrapper
// CHECK-NEXT: fun:vector_fill=wrapper
// CHECK-NEXT: fun:vector_filled=wrapper
// CHECK-NEXT: fun:vector_init=wrapper
// CHECK-NEXT: fun:vector_new=wrapper
// CHECK-NEXT: fun:vector_noted=wrapper
// CHECK-NEXT: fun:vector_of=wrapper
// CHECK-NOT: {{.}}
#include <stdlib.h>
#include <string.h>
struct pool {
    struct pool *next;
    char *name, *bytes;
    size_t size;
    int blocks;
};
int pool_init(struct pool *pool, const char *name, size_t n) {
    pool->bytes = malloc(n);
    pool->size = n;
    pool->name = strdup(name);
    return pool->bytes != NULL;
}
void pool_rounded(struct pool *pool, size_t n) {
    pool->size = (n + 63) & ~63;
    pool->bytes = malloc(pool->size);
}
struct pool *pool_open(struct pool **where, unsigned limit, unsigned n) {
    struct pool *pool = calloc(1, sizeof *pool);
    pool->bytes = malloc(n);
    pool->blocks = limit;
    pool->size = n;
    if (where)
        *where = pool;
    return pool;
}
void pool_again(struct pool *pool) {
    pool->bytes = malloc(pool->size);
}
void pool_next(struct pool *pool, size_t n) {
    pool->next = malloc(n);
}
void pool_name(struct pool *pool, const char *name) {
    pool->name = strdup(name);
    pool->blocks = 0;
}
struct pool *pool_new(const char *name) {
    struct pool *pool = malloc(sizeof *pool);
    pool->name = strdup(name);
    pool->bytes = malloc(4096);
    pool->size = 4096;
    return pool;
}
struct vector {
    int *items;
    size_t room, used;
};
void vector_fill(struct vector *vector, int item, size_t n) {
    vector->items = realloc(vector->items, n * sizeof *vector->items);
    for (vector->room = n; vector->used < n; vector->used++)
        vector->items[vector->used] = item;
}
struct vector *vector_new(size_t n) {
    struct vector *vector = malloc(sizeof *vector);
    vector->items = malloc(n * sizeof *vector->items);
    vector->room = n;
    vector->used = 0;
    return vector;
}
struct vector *vector_of(int item, size_t n) {
    struct vector *vector = vector_new(n);
    while (vector->used < n)
        vector->items[vector->used++] = item;
    return vector;
}
void vector_init(struct vector *vector, size_t n) {
    vector->used = 0;
    vector->room = n;
    vector->items = malloc(vector->room * sizeof *vector->items);
}
struct vector *vector_noted(size_t n) {
    struct vector *vector = malloc(sizeof *vector);
    vector->room = n;
    vector->items = malloc(vector->room * sizeof *vector->items);
    return vector;
}
struct vector *vector_one(int item) {
    return vector_of(item, 1);
}
struct vector *vector_filled(int item, size_t n) {
    struct vector *vector = calloc(1, sizeof *vector);
    vector_fill(vector, item, n);
    return vector;
}
struct number {
    unsigned *restrict digits;
    size_t length, room;
};
void number_init(struct number *restrict number, size_t n) {
    number->digits = malloc(n * sizeof *number->digits);
    number->length = 0;
}
