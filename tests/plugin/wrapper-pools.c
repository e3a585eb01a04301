// A chunk that a pool takes for itself, as large as the pool says and not its caller, is the pool's: its line is the site. What is
// too large for that is the caller's.
// RUN: %clang -O0 -c %s -o %t.o && %dump wrappers %t.o | %check --check-prefix=WRAPPERS
// RUN: %clang -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check --check-prefix=WRAPPERS
// WRAPPERS: fun:list_get=wrapper size=1
// WRAPPERS-NEXT: fun:pool_get=wrapper size=2
// WRAPPERS-NEXT: fun:pool_large=wrapper size=2
// WRAPPERS-NEXT: fun:pool_new=wrapper size=1
// WRAPPERS-NOT: {{.}}
#include <stdlib.h>
struct pool {
    char *last, *end;
    struct pool *next, *current;
    int failed;
};
static void *pool_chunk(struct pool *pool, size_t n) {
    size_t size = pool->end - (char *)pool;
    char *m = malloc(size);
    if (!m)
        return NULL;
    struct pool *chunk = (struct pool *)m;
    chunk->end = m + size;
    chunk->next = NULL;
    chunk->failed = 0;
    m += sizeof *chunk;
    chunk->last = m + n;
    pool->current->next = chunk;
    return m;
}
static void *pool_small(struct pool *pool, size_t n) {
    for (struct pool *chunk = pool->current; chunk; chunk = chunk->next) {
        char *m = chunk->last;
        if ((size_t)(chunk->end - m) >= n) {
            chunk->last = m + n;
            return m;
        }
    }
    return pool_chunk(pool, n);
}
static void *pool_large(struct pool *pool, size_t n) {
    (void)pool;
    return malloc(n);
}
void *pool_get(struct pool *pool, size_t n) {
    return n < 1000 ? pool_small(pool, n) : pool_large(pool, n);
}
struct pool *pool_new(size_t n) {
    struct pool *pool = malloc(n);
    pool->last = (char *)(pool + 1);
    pool->end = (char *)pool + n;
    pool->next = NULL;
    pool->current = pool;
    pool->failed = 0;
    return pool;
}

// One that was given back before, or a new one: to print its address is not to keep it, to set it as an option may be.
extern void *given_back;
extern int tracing;
void trace(int number, const char *format, ...);
void set(const char *name, ...);
void *list_get(int n) {
    void *block = given_back;
    if (block)
        given_back = *(void **)block;
    else
        block = malloc(n);
    if (tracing)
        trace(7, "%p of %d bytes", block, n);
    return block;
}
void *list_set(int n) {
    void *block = given_back ? given_back : malloc(n);
    set("block", block);
    return block;
}
