// A block that is stored through a pointer to the beginning or base of a structure has the type of the whole
// structure if the size names it.
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
    // If the size is larger for another reason, or smaller, the pointer's type counts.
    // CHECK-DAG: "line":[[@LINE+1]],"column":25,"callee":"malloc","type":"struct base"
    struct base *list = malloc(n * sizeof(struct derived));
    // CHECK-DAG: "line":[[@LINE+1]],"column":25,"callee":"malloc","type":"struct base"
    struct base *more = malloc(sizeof(struct base) + sizeof(struct derived));
    // CHECK-DAG: "line":[[@LINE+1]],"column":29,"callee":"malloc","type":"struct derived"
    struct derived *whole = malloc(sizeof(struct base));
    base->kind = cast->kind = list->kind = more->kind = whole->base.kind = n;
    return base;
}
