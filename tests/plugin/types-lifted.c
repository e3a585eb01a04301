// A lifted site has the type of the wrapper's call, whether the wrapper was inlined or is called.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
// RUN: %typed -O2 -g0 -Rpass=^$ -c %s -o %t.g0.o && %sites %t.g0.o --format=json | %check
// RUN: %clang -O2 -c %s -o %t.debug.o && %sites %t.debug.o --format=json | %check
#include <stdlib.h>
struct foo {
    struct foo *next;
};
static void *xmalloc(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}
static void *outer(size_t size) {
    return xmalloc(size);
}
#define BOTH(a, b) ((a) = xmalloc(10), (b) = xmalloc(20))
void callers(struct foo *to, int **ints) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":16,"callee":"xmalloc","type":"struct foo"
    to->next = xmalloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":13,"callee":"outer","type":"int"
    *ints = outer(100);
}
struct foo *both(double **number) {
    struct foo *x;
    double *y;
    // One position:
    BOTH(x, y);
    // CHECK-DAG: "line":[[@LINE-1]],"column":5,"callee":"xmalloc","type":"struct foo"
    // CHECK-DAG: "line":[[@LINE-2]],"column":5,"callee":"xmalloc","type":"double"
    *number = y;
    return x;
}
