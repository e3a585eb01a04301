// What is kept by a pointer to its beginning, or to its base, is the whole structure that the size names.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
#include <stdlib.h>
struct base {
    int kind;
};
struct derived {
    struct base base;
    long value;
};
struct base *base_new(int n) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":25,"callee":"malloc","type":"struct derived"
    struct base *base = malloc(sizeof(struct derived));
    // CHECK-DAG: "line":[[@LINE+1]],"column":40,"callee":"malloc","type":"struct derived"
    struct base *cast = (struct base *)malloc(sizeof(struct derived));
    // What is larger for another reason, or is smaller, is what the pointer says.
    // CHECK-DAG: "line":[[@LINE+1]],"column":25,"callee":"malloc","type":"struct base"
    struct base *list = malloc(n * sizeof(struct derived));
    // CHECK-DAG: "line":[[@LINE+1]],"column":25,"callee":"malloc","type":"struct base"
    struct base *more = malloc(sizeof(struct base) + sizeof(struct derived));
    // CHECK-DAG: "line":[[@LINE+1]],"column":29,"callee":"malloc","type":"struct derived"
    struct derived *whole = malloc(sizeof(struct base));
    base->kind = cast->kind = list->kind = more->kind = whole->base.kind = n;
    return base;
}
