/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Wrappers in all forms. A note stands where the calls are billed.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside.h"

static void *volatile sink;
static volatile size_t huge = (size_t)1 << 60;
jmp_buf away;

static void fail(void) {
    longjmp(away, 1);
}

static void *checked(void *p) {
    if (!p)
        fail();
    return p;
}

static void *xmalloc(size_t n) {
    void *p = malloc(n ? n : 1);
    if (!p)
        fail();
    return p;
}

static void *xcalloc(size_t n, size_t size) {
    return checked(calloc(n, size));
}

static void *xzalloc(size_t n) {
    return memset(xmalloc(n), 0, n);
}

static char *xstrdup(const char *text) {
    return strcpy(xmalloc(strlen(text) + 1), text);
}

static char *xasprintf(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        fail();
    va_end(arguments);
    return text;
}

static void *xaligned(size_t n) {
    void *p;
    return posix_memalign(&p, 64, n) ? NULL : p;
}

static void *xrealloc(void *p, size_t n) {
    if (n == 0) {
        free(p);
        return NULL;
    }
    return checked(p ? realloc(p, n) : malloc(n));
}

static void xfree(void *p) {
    if (p)
        free(p);
}

struct header {
    struct header *next;
    size_t size;
};

static struct header *all;

static void *tracked(size_t n) {
    struct header *header = malloc(sizeof *header + n);
    if (!header)
        return NULL;
    *header = (struct header){all, n};
    all = header;
    return header + 1;
}

static void *aligned_by_hand(size_t n) {
    uintptr_t p = (uintptr_t)malloc(n + 15);
    return (void *)((p + 15) & ~(uintptr_t)15);
}

static void *again(size_t n, int tries) {
    void *p = n < 100 ? malloc(n) : NULL;
    return p || !tries ? p : again(n - 1, tries - 1);
}

static void *odd(size_t n);
static void *even(size_t n) {
    return n < 10 ? malloc(n) : odd(n - 1);
}
static void *odd(size_t n) {
    return n < 10 ? malloc(n) : even(n - 1);
}

// Makes a thing: the line that matters is in it.
struct thing {
    char *name;
};
static struct thing *thing_new(const char *name) {
    struct thing *thing = xmalloc(sizeof *thing); // @ 1 8 0 0 0
    thing->name = xstrdup(name);                  // @ 1 4 0 0 0
    return thing;
}

// Has a block of its own besides the one that it hands on.
static void *logged(size_t n) {
    sink = xmalloc(3); // @ 2 6 0 0 0
    return malloc(n);
}

// Keeps what it returns, so it is the owner.
static void *registry[4];
static void *registered(size_t n) {
    void *p = malloc(n); // @ 1 7 0 0 0
    registry[0] = p;
    return p;
}

#define TWICE(n) (sink = xmalloc(n), sink = xmalloc((n) + 1))

static void *(*volatile pointer)(size_t) = xmalloc;
static void *(*const constant)(size_t) = xmalloc;

static void *thread(void *n) {
    for (int i = 0; i < 1000; i++)
        xfree(sink = n ? xmalloc(1) : xzalloc(2)); // @ 4000 6000 0 0 0
    return NULL;
}

static void threads(void) {
    pthread_t all[4];
    for (size_t i = 0; i < 4; i++)
        if (pthread_create(&all[i], NULL, thread, (void *)(i % 2)) != 0) // @ any
            abort();
    for (size_t i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

static void failures(void) {
    if (!setjmp(away))
        sink = xmalloc(huge); // @ 0 0 0 0 1
    if (!setjmp(away))
        sink = outside_jump(6); // @ 1 6 0 0 0
    // Nothing of that is left for who comes next.
    sink = outside_other(11);
}

int main(void) {
    sink = xmalloc(10);                     // @ 1 10 0 0 0
    sink = xcalloc(2, 10);                  // @ 1 20 0 0 0
    sink = xzalloc(30);                     // @ 1 30 0 0 0
    sink = xstrdup("four");                 // @ 1 5 0 0 0
    sink = xaligned(64);                    // @ 1 64 0 0 0
    sink = xasprintf("%d", 5) ? sink : 0;   // @ any
    sink = tracked(70);                     // @ 1 86 0 0 0
    sink = aligned_by_hand(80);             // @ 1 95 0 0 0
    sink = again(101, 5);                   // @ 1 99 0 0 0
    sink = even(20);                        // @ 1 9 0 0 0
    sink = thing_new("abc");
    sink = logged(90);                      // @ 1 90 0 0 0
    sink = logged(91);                      // @ 1 91 0 0 0
    sink = registered(7);
    TWICE(100);                             // @ 2 201 0 0 0
    sink = pointer(6);                      // @ 1 6 0 0 0
    sink = constant(12);                    // @ 1 12 0 0 0
    sink = xrealloc(NULL, 40);              // @ 1 40 0 0 0
    sink = xrealloc(sink, 50);              // @ 0 0 1 50 0
    xfree(xrealloc(sink, 0));
    void *moved = outside_malloc(13);       // @ 1 13 0 0 0
    sink = outside_realloc(moved, 14);      // @ 0 0 1 14 0
    sink = outside_other(15);
    threads();
    failures();
    sink = fopen("/dev/null", "r");         // @ any
    puts("done");
    return 3;
}
