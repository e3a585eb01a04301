// Which functions are wrappers: all that they return they got from an allocator or a wrapper, and the size depends on a
// parameter.
// RUN: %clang -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// CHECK: # found by their bodies
// CHECK-NEXT: fun:aligned=wrapper size=1
// CHECK-NEXT: fun:aligned_elsewhere=wrapper size=1
// CHECK-NEXT: fun:checked_malloc=wrapper size=1
// CHECK-NEXT: fun:computed=wrapper size=1
// CHECK-NEXT: fun:cut=wrapper size=2
// CHECK-NEXT: fun:even=wrapper size=1
// CHECK-NEXT: fun:failing=wrapper size=1
// CHECK-NEXT: fun:from_pool=wrapper
// CHECK-NEXT: fun:headed=wrapper size=1
// CHECK-NEXT: fun:into=wrapper size=2
// CHECK-NEXT: fun:odd=wrapper size=1
// CHECK-NEXT: fun:recursive=wrapper size=1
// CHECK-NEXT: fun:recursive_free=wrapper pointer=1
// CHECK-NEXT: fun:reheaded=wrapper size=2 pointer=1
// CHECK-NEXT: fun:reheaded_free=wrapper pointer=1
// CHECK-NEXT: fun:xasprintf=wrapper
// CHECK-NEXT: fun:xcalloc=wrapper size=2 count=1
// CHECK-NEXT: fun:xfree=wrapper pointer=2
// CHECK-NEXT: fun:xmalloc=wrapper size=2
// CHECK-NEXT: fun:xrealloc=wrapper size=2 pointer=1
// CHECK-NEXT: fun:xstrdup=wrapper
// CHECK-NOT: {{.}}
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *xmalloc(const char *who, size_t n) {
    void *p = malloc(n);
    if (!p) {
        puts(who);
        abort();
    }
    return p;
}
void *xcalloc(size_t n, size_t size) {
    return calloc(n, size);
}
char *xstrdup(const char *text) {
    return strcpy(xmalloc("xstrdup", strlen(text) + 1), text);
}
void *xrealloc(void *p, size_t n) {
    if (!n) {
        free(p);
        return NULL;
    }
    return p ? realloc(p, n) : malloc(n);
}
void xfree(const char *who, void *p) {
    if (p)
        free(p);
}
void *into(void *buffer, size_t n) {
    return buffer ? buffer : malloc(n);
}
static void *checked(void *p) {
    if (!p)
        abort();
    return p;
}
void *checked_malloc(size_t n) {
    return checked(malloc(n));
}
char *xasprintf(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    return text;
}
char *cut(const char *text, size_t most) {
    size_t n = 0;
    while (n < most && text[n])
        n++;
    char *copy = malloc(n + 1);
    memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}
void *aligned(size_t n) {
    return (void *)(((uintptr_t)malloc(n + 15) + 15) & ~(uintptr_t)15);
}
static uintptr_t rounded_up(uintptr_t address) {
    return (address + 15) & ~(uintptr_t)15;
}
void *aligned_elsewhere(size_t n) {
    return (void *)rounded_up((uintptr_t)malloc(n + 15));
}
struct header {
    struct header *next;
};
static struct header *all;
void *headed(size_t n) {
    struct header *header = malloc(sizeof *header + n);
    header->next = all;
    all = header;
    return header + 1;
}
static struct header **header_of(struct header **header, void *block) {
    struct header **before = &all;
    *header = (struct header *)block - 1;
    while (*before && *before != *header)
        before = &(*before)->next;
    return before;
}
void *reheaded(void *block, size_t n) {
    struct header *header = NULL;
    if (block)
        *header_of(&header, block) = header->next;
    header = realloc(header, sizeof *header + n);
    header->next = all;
    all = header;
    return header + 1;
}
void reheaded_free(void *block) {
    struct header *header;
    *header_of(&header, block) = header->next;
    free(header);
}
size_t rounded(size_t n);
int multiplied(size_t n, size_t size, size_t *product);
void *computed(size_t n) {
    size_t product;
    return multiplied(rounded(n), 4, &product) ? NULL : malloc(product);
}
struct pool {
    size_t unit;
};
void *from_pool(const struct pool *pool) {
    return malloc(pool->unit);
}
void *failed(int code, const char *text);
void *failing(size_t n) {
    void *p = malloc(n);
    if (!p)
        return failed(12, "failing");
    return p;
}
void *recursive(size_t n, int tries) {
    void *p = malloc(n);
    return p || !tries ? p : recursive(n, tries - 1);
}
void *odd(size_t n);
void *even(size_t n) {
    return n < 10 ? malloc(n) : odd(n - 1);
}
void *odd(size_t n) {
    return n < 10 ? malloc(n) : even(n - 1);
}
void recursive_free(void *p, int tries) {
    if (tries)
        recursive_free(p, tries - 1);
    else
        free(p);
}
