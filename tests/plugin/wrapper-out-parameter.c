// A block that a function leaves where a parameter says, with a status as the result or none, belongs to the caller. Not what is
// left in a structure or an array, what is always the same, one of two, what is kept or can be something else, what others may replace.
// RUN: %clang -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// CHECK: # found by their bodies
// CHECK-NEXT: fun:aligned=wrapper size=1
// CHECK-NEXT: fun:duplicate=wrapper
// CHECK-NEXT: fun:format=wrapper
// CHECK-NEXT: fun:formatted=wrapper
// CHECK-NEXT: fun:grow=wrapper size=2
// CHECK-NEXT: fun:made=wrapper size=1
// CHECK-NEXT: fun:make=wrapper size=2
// CHECK-NEXT: fun:make_node=wrapper size=2
// CHECK-NOT: {{.}}
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node {
    struct node *next;
    size_t n;
};
int make(void **block, size_t n) {
    *block = NULL;
    void *p = malloc(n);
    if (!p)
        return ENOMEM;
    *block = p;
    return 0;
}
bool make_node(struct node **node, size_t n) {
    *node = malloc(sizeof **node + n);
    if (*node)
        (*node)->n = n;
    return *node != NULL;
}
int aligned(size_t n, void **block) {
    return posix_memalign(block, 64, n);
}
void *made(size_t n) {
    void *block;
    return make(&block, n) ? NULL : block;
}
void duplicate(char **copy, const char *text) {
    *copy = strdup(text);
}
int grow(int **items, size_t n) {
    int *more = realloc(*items, n * sizeof(int));
    if (!more)
        return -1;
    *items = more;
    return 0;
}
char *formatted(const char *format, ...) {
    char *text;
    size_t n;
    FILE *stream = open_memstream(&text, &n);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fclose(stream);
    return text;
}
char *contents(FILE *file) {
    char *text;
    size_t n;
    FILE *stream = open_memstream(&text, &n);
    for (int c; (c = fgetc(file)) != EOF;)
        fputc(c, stream);
    fclose(stream);
    return text;
}
int format(char **text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(text, format, arguments);
    va_end(arguments);
    return n;
}
int member(struct node *node, size_t n) {
    node->next = malloc(n);
    return node->next != NULL;
}
int fixed(struct node **node) {
    *node = malloc(sizeof **node);
    return 0;
}
int two(char **first, char **second, size_t n) {
    *first = malloc(n);
    *second = malloc(n);
    return 0;
}
static void *kept;
int keeper(void **block, size_t n) {
    *block = kept = malloc(n);
    return 0;
}
int lookup(char **text, size_t n) {
    static char none[1];
    *text = n ? malloc(n) : none;
    return 0;
}
void fill(void **block);
int filled(void **block, size_t n) {
    *block = malloc(n);
    fill(block);
    return 0;
}
int array(char **texts, size_t n) {
    texts[0] = malloc(n);
    texts[1] = NULL;
    return 0;
}
