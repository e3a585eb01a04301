// What makes a block grow need not know how to give the old one back: what is in that is moved. Nor need there be a structure: an array
// and its length or end may be given by where they are. The number that the caller gives may be set before it is asked for. Not what is
// copied from elsewhere, what has no length, or one that does not change.
// RUN: %typed -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// REQUIRES: types
// CHECK: # found by their bodies
// CHECK-NEXT: fun:array_add=wrapper
// CHECK-NEXT: fun:array_put=wrapper
// CHECK-NEXT: fun:bits_grow=wrapper
// CHECK-NEXT: fun:from_pool=wrapper size=2
// CHECK-NEXT: fun:list_push=wrapper
// CHECK-NEXT: fun:stack_extend=wrapper
// CHECK-NOT: {{.}}
#include <stdlib.h>
#include <string.h>
void *from_pool(void *pool, size_t n) {
    return malloc(n);
}
struct list {
    void *items;
    size_t used, size, room;
    void *pool;
};
void *list_push(struct list *list) {
    if (list->used == list->room) {
        size_t n = list->size * list->room;
        void *more = from_pool(list->pool, 2 * n);
        memcpy(more, list->items, n);
        list->items = more;
        list->room *= 2;
    }
    return (char *)list->items + list->size * list->used++;
}
void list_mirror(struct list *list, const void *from) {
    list->items = from_pool(list->pool, list->room);
    memcpy(list->items, from, list->room);
}
struct bits {
    struct bits *next;
    unsigned long *words;
    unsigned room, used;
};
void bits_grow(struct bits *bits, unsigned n) {
    unsigned old = bits->room;
    if (n <= old)
        return;
    bits->room = n + n / 2;
    unsigned long *words = from_pool(NULL, bits->room * sizeof *words);
    memcpy(words, bits->words, old * sizeof *words);
    bits->words = words;
}
void bits_double(struct bits *bits) {
    bits->room *= 2;
    bits->words = realloc(bits->words, bits->room * sizeof *bits->words);
}
void array_add(void *items, int *count, void *item) {
    int n = *count;
    void **all = *(void ***)items;
    if ((n & (n - 1)) == 0) {
        all = realloc(all, (n ? 2 * n : 1) * sizeof *all);
        *(void ***)items = all;
    }
    all[n++] = item;
    *count = n;
}
void array_put(int **items, size_t *count, int item) {
    *items = realloc(*items, (*count + 1) * sizeof **items);
    (*items)[(*count)++] = item;
}
void stack_extend(void **first, void **top, void **end) {
    char *more = realloc(*first, 2 * ((char *)*end - (char *)*first));
    *top = more + ((char *)*top - (char *)*first);
    *end = more + 2 * ((char *)*end - (char *)*first);
    *first = more;
}
void array_as(void *items, const int *count) {
    *(int **)items = realloc(*(int **)items, *count * sizeof(int));
}
