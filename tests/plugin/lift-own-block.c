// A block that a wrapper allocates for itself keeps its line, wherever it is inlined to.
// RUN: %clang -O0 -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %sites %t.O2.o | %check
// CHECK-DAG: :[[@LINE+12]]:{{[0-9]+}} {{ *}}inner {{ *}}logged
// CHECK-DAG: :[[@LINE+17]]:{{[0-9]+}} {{ *}}logged {{ *}}user
#include <stdlib.h>
static void *inner(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
extern void *volatile sink;
static void *logged(size_t n) {
    // A block of its own:
    sink = inner(4);
    void *p = malloc(n);
    return p;
}
void *user(void) {
    // What the caller gets:
    return logged(10);
}
