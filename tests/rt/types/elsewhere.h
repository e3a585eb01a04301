/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrappers of allocators in a file of their own (elsewhere_util.c), and what they hand out. */
#include <stddef.h>

struct foo {
    struct foo *next;
};
struct bar {
    double x;
};
struct thing {
    int y;
};
struct owner {
    void *memory;
};
struct pool {
    void *unused;
};

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *block, size_t size);
char *xstrdup(const char *text);
char *old_malloc(size_t size);
void *twice(size_t size);
void *checked(size_t size);
void *pool_get(struct pool *pool, size_t size);
int create(struct thing **out, size_t size);
int create_any(int flags, void **out, size_t size);
void grow(void *place, size_t size);
struct owner *owner_new(size_t size, size_t memory);
void *parse(size_t size, size_t scratch);
