// With the option that bills who calls a maker, all that it makes is its caller's: the thing, and the part that its caller sizes; without
// it the part alone.
// RUN: %clang -O2 -c %s -o %t.o && %sites %t.o | %check
// RUN: %clang -O2 -fplugin=%plugin -mllvm -allocsite-lift=makers -c %s -o %t.makers.o && %sites %t.makers.o | %check --check-prefix=MAKERS
// CHECK-DAG: :[[@LINE+13]]:{{[0-9]+}} {{ *}}malloc {{ *}}vector_new
// CHECK-DAG: :[[@LINE+19]]:{{[0-9]+}} {{ *}}vector_new {{ *}}user
// CHECK: 2 sites in
// MAKERS: :[[@LINE+17]]:{{[0-9]+}} {{ *}}vector_new {{ *}}user
// MAKERS-NOT: malloc {{ *}}vector_new
// MAKERS: 1 site in
#include <stdlib.h>
struct vector {
    int *items;
    size_t room;
    struct vector *next;
};
static struct vector *vector_new(size_t n) {
    struct vector *vector = malloc(sizeof *vector);
    vector->items = malloc(n * sizeof *vector->items);
    vector->room = n;
    return vector;
}
extern void *volatile sink;
void user(void) {
    sink = vector_new(3);
}
