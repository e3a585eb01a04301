/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library without sites. */
#include <stdlib.h>
#include <string.h>

/* A block that the constructor allocates, before any function of the library is called. */
static void *first;

__attribute__((constructor)) static void begin(void) {
    first = malloc(100);
}

void *give(size_t n) {
    return malloc(n);
}

void *move(void *p, size_t n) {
    return realloc(p, n);
}

void take(void *p) {
    free(p);
}

char *copy(const char *text) {
    return strdup(text);
}

void end(void) {
    free(first);
}
