// A structure of a block and pointers of its type into it, one of which is named an end, is a buffer as well. Not one of two texts,
// nor one whose pointers are of different types, nor one of many numbers.
// RUN: %typed -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// REQUIRES: types
// CHECK: # found by their bodies
// CHECK-NEXT: fun:text_add=wrapper
// CHECK-NEXT: fun:text_reserve=wrapper
// CHECK-NEXT: fun:vector_push=wrapper
// CHECK-NOT: {{.}}
#include <stdlib.h>
#include <string.h>
struct text {
    char *start, *end;
};
static int text_reserve(struct text *text, size_t n) {
    char *more = realloc(text->start, n);
    if (more)
        text->start = more;
    return more != NULL;
}
void text_add(struct text *text, const char *bytes) {
    size_t used = text->end - text->start, n = strlen(bytes);
    if (!text_reserve(text, used + n + 1))
        return;
    memcpy(text->start + used, bytes, n + 1);
    text->end = text->start + used + n;
}
struct vector {
    double *begin, *end, *storageEnd;
};
void vector_push(struct vector *vector, double item) {
    if (vector->end == vector->storageEnd) {
        size_t used = vector->end - vector->begin, room = used ? 2 * used : 1;
        vector->begin = realloc(vector->begin, room * sizeof item);
        vector->end = vector->begin + used;
        vector->storageEnd = vector->begin + room;
    }
    *vector->end++ = item;
}
struct date {
    int second, minute, hour, day, month, year, offset;
    char *zone;
};
void date_more(struct date *date) {
    date->zone = realloc(date->zone, strlen(date->zone) * 2);
}
struct pair {
    char *name, *value;
};
void pair_more(struct pair *pair) {
    pair->value = realloc(pair->value, strlen(pair->value) * 2);
}
struct list {
    struct pair *first;
    char *end;
};
void list_more(struct list *list) {
    list->first = realloc(list->first, 2 * sizeof *list->first);
}
