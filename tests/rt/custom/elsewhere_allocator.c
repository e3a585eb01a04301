/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled without the plugin, except in one variant of the test. It counts its own blocks, like custom.c. */
#include "elsewhere.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, LARGE = 1000, HEADER = 16 };

static unsigned long allocs, alloc_bytes, reallocs, realloc_bytes, frees, freed_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *at;
static size_t left;

static size_t size_of(const void *p) {
    return *(const size_t *)(const void *)((const char *)p - HEADER);
}

static void *take(size_t n) {
    size_t bytes = (n + HEADER + 15) & ~(size_t)15;
    char *block;
    if (n > SIZE_MAX / 4)
        return NULL;
    pthread_mutex_lock(&lock);
    if (n < LARGE && left < bytes)
        at = malloc(left = CHUNK);
    block = n < LARGE ? at : malloc(bytes);
    at += n < LARGE ? bytes : 0;
    left -= n < LARGE ? bytes : 0;
    pthread_mutex_unlock(&lock);
    *(size_t *)(void *)block = n;
    return block + HEADER;
}

static void give(void *p) {
    if (size_of(p) >= LARGE)
        free((char *)p - HEADER);
}

static void *came(void *p, size_t n) {
    __atomic_fetch_add(&allocs, p != NULL, __ATOMIC_RELAXED);
    __atomic_fetch_add(&alloc_bytes, p ? n : 0, __ATOMIC_RELAXED);
    return p;
}

void *px_malloc(size_t n) {
    return came(take(n), n);
}

void *px_calloc(size_t count, size_t n) {
    void *p = take(count * n);
    return came(p ? memset(p, 0, count * n) : NULL, count * n);
}

void *px_realloc(void *old, size_t n) {
    if (!old)
        return came(take(n), n);
    void *p = take(n);
    if (!p)
        return NULL;
    memcpy(p, old, size_of(old) < n ? size_of(old) : n);
    __atomic_fetch_add(&reallocs, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&realloc_bytes, n, __ATOMIC_RELAXED);
    give(old);
    return p;
}

void px_free(void *p) {
    if (!p)
        return;
    __atomic_fetch_add(&frees, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&freed_bytes, size_of(p), __ATOMIC_RELAXED);
    give(p);
}

void px_print(void) {
    char text[200];
    int length = snprintf(text, sizeof text, "%lu %lu %lu %lu %lu %lu\n", allocs, alloc_bytes, reallocs,
                          realloc_bytes, frees, freed_bytes);
    fwrite(text, 1, (size_t)length, stdout);
    fflush(stdout);
}
