/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Wrappers of uncommon shapes. Those of the list (shapes.txt) cannot be told by their bodies.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static void *volatile sink;

APART void *xmalloc(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}

// Under another name, by a table, and by a variable that might change.
void *other_name(size_t n) __attribute__((alias("xmalloc")));
static void *(*const table[])(size_t) = {malloc, xmalloc};
static void *(*volatile variable)(size_t) = xmalloc;

// Which function stands behind the name is decided when the program starts, if not by the compiler.
APART static void *malloc_here(size_t n) {
    return malloc(n); // @ any
}
void *(*resolve(void))(size_t) {
    return malloc_here;
}
void *decided(size_t n) __attribute__((ifunc("resolve")));

APART static void *until_it_fits(void *p, size_t n) {
    void *q;
    while (!(q = realloc(p, n)))
        n /= 2;
    return q;
}

struct small {
    char *text;
    size_t length;
};
APART static struct small small_copy(const char *text) {
    size_t length = strlen(text);
    return (struct small){memcpy(xmalloc(length + 1), text, length + 1), length};
}

// Listed.
APART static int out(void **block, size_t n) {
    *block = malloc(n);
    return *block ? 0 : -1;
}

struct large {
    char *text;
    size_t length, capacity;
};
APART static struct large large_copy(const char *text) {
    size_t length = strlen(text);
    return (struct large){memcpy(malloc(length + 1), text, length + 1), length, length + 1};
}

static char reserve[100];
APART static void *reserved(size_t n) {
    return n > sizeof reserve ? malloc(n) : reserve;
}

// The same if it is not listed.
APART static void *cached(size_t n) {
    return n > sizeof reserve ? malloc(n) : reserve;
}

// A hook that is asked for the same as malloc, or alone, listed or not.
struct hooks {
    void *(*alloc)(void *opaque, size_t n);
    void *opaque;
};

static void *hook(void *opaque, size_t n) {
    (void)opaque;
    return malloc(n);
}

static const struct hooks *volatile hooks = &(const struct hooks){hook, NULL};
static const struct hooks *volatile without = &(const struct hooks){NULL, NULL};

APART static void *hooked(const struct hooks *hooks, size_t n) {
    return hooks->alloc ? hooks->alloc(hooks->opaque, n) : malloc(n);
}

static inline void *hooked_inline(const struct hooks *hooks, size_t n) {
    return hooks->alloc ? hooks->alloc(hooks->opaque, n) : malloc(n);
}

APART static void *only_hooked(const struct hooks *hooks, size_t n) {
    return hooks->alloc(hooks->opaque, n);
}

APART static void *only_hooked_unlisted(const struct hooks *hooks, size_t n) {
    return hooks->alloc(hooks->opaque, n);
}

int main(void) {
    void *block;
    sink = other_name(10);                 // @ 1 10 0 0 0
    sink = table[1](11);                   // @ 1 11 0 0 0
    sink = table[0](12);                   // @ 1 12 0 0 0
    sink = variable(13);                   // @ 1 13 0 0 0
    sink = decided(12);                    // @ any
    sink = until_it_fits(NULL, 14);        // @ 1 14 0 0 0
    sink = small_copy("small").text;       // @ 1 6 0 0 0
    sink = out(&block, 15) ? NULL : block; // @ 1 15 0 0 0
    sink = large_copy("large!").text;      // @ 1 7 0 0 0
    sink = reserved(101);                  // @ 1 101 0 0 0
    sink = reserved(1);
    sink = cached(102);                     // @ 1 102 0 0 0
    sink = hooked(without, 16);             // @ 1 16 0 0 0
    sink = hooked(hooks, 17);               // @ 1 17 0 0 0
    sink = hooked_inline(hooks, 18);        // @ 1 18 0 0 0
    sink = only_hooked(hooks, 20);          // @ 1 20 0 0 0
    sink = only_hooked_unlisted(hooks, 19); // @ 1 19 0 0 0
    puts("done");                           // @ any
    return 3;
}
