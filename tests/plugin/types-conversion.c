// The type of a block comes from the conversion of its address: from a cast first, else from the variable it
// is stored to.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
#include <stdlib.h>
struct foo {
    struct foo *next;
    char **names;
};
struct bar;
void take(struct foo *foo);
void *keep(void *block);
// CHECK-DAG: "line":[[@LINE+2]],"column":12,"callee":"malloc","type":"struct foo"
struct foo *returned(void) {
    return malloc(100);
}
void convert(struct foo *to, int yes) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":38,"callee":"malloc","type":"struct foo"
    void *cast = keep((struct foo *)(malloc(100)));
    // CHECK-DAG: "line":[[@LINE+1]],"column":16,"callee":"malloc","type":"struct foo"
    to->next = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":17,"callee":"calloc","type":"char *"
    to->names = calloc(10, 10);
    // CHECK-DAG: "line":[[@LINE+1]],"column":10,"callee":"malloc","type":"struct foo"
    take(malloc(100));
    // CHECK-DAG: "line":[[@LINE+2]],"column":32,"callee":"malloc","type":"struct foo"
    // CHECK-DAG: "line":[[@LINE+1]],"column":46,"callee":"calloc","type":"struct foo"
    struct foo *chosen = yes ? malloc(100) : calloc(1, 100);
    // CHECK-DAG: "line":[[@LINE+2]],"column":29,"callee":"malloc","type":"int"
    int *ints;
    if (keep(to) && (ints = malloc(100)))
        keep(ints);
    // CHECK-DAG: "line":[[@LINE+1]],"column":35,"callee":"malloc","type":"int"
    double *none = (void *)(int *)malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":42,"callee":"malloc","type":"double"
    double *inner = ({ keep(to); (void *)malloc(100); });
    // CHECK-DAG: "line":[[@LINE+1]],"column":23,"callee":"malloc","type":"struct bar"
    struct bar *bar = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":22,"callee":"malloc","type":"bytes"
    void *unknown = (malloc(100));
    // CHECK-DAG: "line":[[@LINE+1]],"column":18,"callee":"malloc","type":"char"
    char *text = malloc(100);
}
