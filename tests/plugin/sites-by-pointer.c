// Who calls a wrapper of what a pointer leads to is in the table that a reader shows, also where the wrapper is local, so that no
// site of its own stands there.
// RUN: %clang -O2 -c %s -o %t.o && %sites %t.o | %check
// RUN: %clang -O0 -c %s -o %t.o && %sites %t.o | %check
// CHECK-DAG: sites-by-pointer.c:[[@LINE+12]]:{{[0-9]+}}  raw  one
// CHECK-DAG: sites-by-pointer.c:[[@LINE+14]]:{{[0-9]+}}  raw  two
#include <stddef.h>
struct methods {
    void *(*get)(size_t n);
};
extern struct methods methods;
static __attribute__((noinline)) void *raw(size_t n) {
    return methods.get(n);
}
void use(void *block);
void one(void) {
    use(raw(10));
}
void two(void) {
    use(raw(20));
}
