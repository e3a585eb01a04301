/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The innermost wrappers, which call the allocators.
#include "shapes.h"

#include <malloc.h>
#include <stdlib.h>

static void *checked(void *p) {
    if (!p)
        abort();
    return p;
}

void *xmalloc(size_t n) {
    return checked(malloc(n));
}

void *xmalloc_int(int n) {
    return checked(malloc(n));
}

void *xmalloc_unsigned(unsigned size) {
    return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size) {
    return checked(calloc(count, size));
}

void *xcalloc_int(int nmemb, int size) {
    return checked(calloc(nmemb, size));
}

void *xrealloc(void *p, size_t n) {
    return checked(p ? realloc(p, n) : malloc(n));
}

void xfree(void *p) {
    if (p)
        free(p);
}

int out(void **block, size_t n) {
    *block = malloc(n);
    return *block ? 0 : -1;
}

void keep(struct text **where, struct text *text) {
    *where = text;
}

size_t usable(void *block) {
    return malloc_usable_size(block);
}
