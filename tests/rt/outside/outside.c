/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled with the plugin, as C and as C++. Uninstrumented libraries allocate for it: the C library's obstacks, and
 * library.c. The program counts and prints what each of its lines caused them to allocate: an obstack has a new chunk
 * afterwards, and the sizes in library.c are known. */
#include "library.h"

#include <obstack.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

#ifdef OWN
static void *chunk_take(size_t n) {
    return malloc(n);
}

static void chunk_give(void *p) {
    free(p);
}
#define obstack_chunk_alloc chunk_take
#define obstack_chunk_free  chunk_give
#else
#define obstack_chunk_alloc malloc
#define obstack_chunk_free  free
#endif

enum { LINES = 200 };
static unsigned allocs[LINES], reallocs[LINES];
static void *volatile sink;

static void note(int line, unsigned count) {
    __atomic_fetch_add(&allocs[line], count, __ATOMIC_RELAXED);
}

#define NOTED(o, call)                                                                                       \
    do {                                                                                                     \
        void *before = (o)->chunk;                                                                           \
        call;                                                                                                \
        note(__LINE__, (o)->chunk != before);                                                                \
    } while (0)

NOINLINE static void grow(struct obstack *o, int i) {
    char text[300];
    memset(text, i, sizeof text);
    NOTED(o, obstack_grow(o, text, (int)sizeof text));
    NOTED(o, obstack_blank(o, i % 3000));
    NOTED(o, obstack_1grow(o, 'x'));
    sink = obstack_finish(o);
}

NOINLINE static void take(struct obstack *o, int i) {
    NOTED(o, sink = obstack_alloc(o, i % 5000));
    NOTED(o, sink = obstack_copy0(o, "text", 4));
}

/* The same call at several stack depths and from several callers. */
NOINLINE static void descend(struct obstack *o, int i, int depth) {
    if (depth == 0)
        NOTED(o, sink = obstack_alloc(o, 1000));
    else
        descend(o, i, depth - 1);
    sink = o;
}

static void obstacks(int rounds) {
    struct obstack o;
    obstack_init(&o), note(__LINE__, 1);
    for (int i = 0; i < rounds; i++) {
        grow(&o, i);
        take(&o, i * 7);
        descend(&o, i, i % 50);
    }
    obstack_free(&o, NULL);
}

static void *work(void *unused) {
    obstacks(300);
    return unused;
}

static void threads(void) {
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
}

NOINLINE static int called_back(int n) {
    sink = library_text(n), note(__LINE__, 1);
    free(sink);
    return n;
}

static void library(void) {
    for (int i = 1; i < 200; i++) {
        sink = library_text(i), note(__LINE__, 1);
        sink = library_more(sink, 2 * i), reallocs[__LINE__]++;
        free(sink);
        library_call(called_back, i % 20), note(__LINE__, 1);
        free(library_deep(i % 8)), note(__LINE__, 1);
    }
    for (int i = 0; i < 10; i++)
        free(library_deep(60)); /* too deep without call paths */
    sink = malloc(100), note(__LINE__, 1);
    free(sink);
}

int main(void) {
    obstacks(1000);
    threads();
    library();
    char text[64 * LINES], *end = text;
    for (int line = 0; line < LINES; line++)
        if (allocs[line] || reallocs[line])
            end += sprintf(end, "%d %u %u\n", line, allocs[line], reallocs[line]);
    return write(1, text, (size_t)(end - text)) < 0 ? 1 : 3;
}
