// A function that a macro defines whole has no line of its own: its callers are the sites, as those of a template in a library.
// Not one whose body stands in the program, in whose parentheses ever, nor one that others call by its address.
// RUN: %clang -O0 -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %sites %t.O2.o | %check
// RUN: %dump wrappers %t.O0.o | %check --check-prefix=WRAPPERS
// RUN: %dump wrappers %t.O2.o | %check --check-prefix=WRAPPERS
// WRAPPERS: # found by their bodies
// WRAPPERS-NEXT: fun:for_all=wrapper
// WRAPPERS-NEXT: fun:numbers_new=wrapper
// WRAPPERS-NEXT: fun:numbers_put=wrapper
// WRAPPERS-NEXT: fun:numbers_resize=wrapper
// WRAPPERS-NOT: {{.}}
#include <stdlib.h>
#define TABLE(name, type)                                                                                              \
    struct name {                                                                                                      \
        struct name *next;                                                                                             \
        type *items;                                                                                                   \
        int used, room, seed;                                                                                          \
        char flags[2];                                                                                                 \
    };                                                                                                                 \
    static int name##_resize(struct name *table, int room) {                                                           \
        type *items = realloc(table->items, room * sizeof *items);                                                     \
        if (!items)                                                                                                    \
            return -1;                                                                                                 \
        table->items = items;                                                                                          \
        table->room = room;                                                                                            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static int name##_put(struct name *table, type item) {                                                             \
        if (table->used == table->room && name##_resize(table, 2 * table->room + 4))                                   \
            return -1;                                                                                                 \
        table->items[table->used++] = item;                                                                            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static struct name *name##_new(void) {                                                                             \
        return calloc(1, sizeof(struct name));                                                                         \
    }
TABLE(numbers, int)
#define CALLBACK(name)                                                                                                 \
    static void *name(void) {                                                                                          \
        return malloc(10);                                                                                             \
    }
// CHECK-DAG: wrapper-macros.c:[[@LINE+1]]:{{[0-9]+}}  malloc  by_address
CALLBACK(by_address)
void *(*volatile called)(void) = by_address;
#define FOR_ALL(name)                                                                                                  \
    void *name(void) {                                                                                                 \
        return malloc(12);                                                                                             \
    }
FOR_ALL(for_all)
struct numbers *made(int *ids, int count) {
    // CHECK-DAG: wrapper-macros.c:[[@LINE+1]]:{{[0-9]+}}  numbers_new  made  type struct numbers
    struct numbers *numbers = numbers_new();
    for (int i = 0; i < count; i++)
        // CHECK-DAG: wrapper-macros.c:[[@LINE+1]]:{{[0-9]+}}  numbers_put  made  type int
        numbers_put(numbers, ids[i]);
    return numbers;
}
// CHECK-DAG: wrapper-macros.c:[[@LINE+1]]:{{[0-9]+}}  malloc  written
static void *written(void) { return malloc(11); }
void *user(void **other) {
    // CHECK-DAG: wrapper-macros.c:[[@LINE+1]]:{{[0-9]+}}  for_all  user
    *other = for_all();
    return written();
}
