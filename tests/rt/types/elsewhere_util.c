/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elsewhere.h"

#include <stdlib.h>
#include <string.h>

void *xmalloc(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

void *xcalloc(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (!block)
        abort();
    return block;
}

void *xrealloc(void *block, size_t size) {
    return block ? realloc(block, size) : xmalloc(size);
}

char *xstrdup(const char *text) {
    return strcpy(xmalloc(strlen(text) + 1), text);
}

char *old_malloc(size_t size) {
    return xmalloc(size);
}

void *twice(size_t size) {
    return xmalloc(size);
}

static void *check(void *block) {
    return block ? block : (abort(), block);
}

void *checked(size_t size) {
    return check(malloc(size));
}

void *pool_get(struct pool *pool, size_t size) {
    void **free = pool->unused;
    if (!free)
        return xmalloc(size);
    pool->unused = *free;
    return free;
}

int create(struct thing **out, size_t size) {
    *out = xmalloc(size);
    return 0;
}

int create_any(int flags, void **out, size_t size) {
    *out = xmalloc(size);
    return flags;
}

void grow(void *place, size_t size) {
    void **block = place;
    *block = realloc(*block, size);
}

/* What the structure owns is not of its type. */
struct owner *owner_new(size_t size, size_t memory) {
    struct owner *owner = xmalloc(size);
    owner->memory = xmalloc(memory);
    return owner;
}

static void *volatile kept;

void *parse(size_t size, size_t scratch) {
    kept = xmalloc(scratch);
    return xmalloc(size);
}
