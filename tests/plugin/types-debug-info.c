// Without the AST, the type comes from the debug info of the variable, field or result that a block is stored
// to. If that is ambiguous, the type is unknown.
// RUN: %clang -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %clang -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
#include <stdlib.h>
struct part {
    long x[3];
    double *numbers;
};
struct foo {
    struct foo *next;
    struct part part;
    struct part *parts[4];
    union {
        int *ints;
        long *longs;
    } either;
    void *block;
};
struct bar {
    long gap[8];
    short *shorts;
};
struct vec3 {
    double x[3];
    char *name;
};
struct foo *global;
// CHECK-DAG: "line":[[@LINE+2]],"column":12,"callee":"malloc","type":"struct foo"
struct foo *returned(void) {
    return malloc(100);
}
// A number at the end of a name in the source is not mistaken for clang's suffix.
void numbered(struct vec3 *to) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":16,"callee":"malloc","type":"char"
    to->name = malloc(100);
}
void stores(struct foo *to, struct foo **more, int i) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":24,"callee":"malloc","type":"struct part"
    struct part *one = malloc(100);
    to->parts[1] = one;
    // CHECK-DAG: "line":[[@LINE+1]],"column":14,"callee":"malloc","type":"struct foo"
    global = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":16,"callee":"malloc","type":"struct foo"
    to->next = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":30,"callee":"malloc","type":"double"
    to->next->part.numbers = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":20,"callee":"malloc","type":"struct part"
    to->parts[i] = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"struct foo"
    more[i] = malloc(100);
    // CHECK-DAG: "line":[[@LINE+2]],"column":21,"callee":"malloc","type":"double"
    // CHECK-DAG: "line":[[@LINE+1]],"column":35,"callee":"calloc","type":"double"
    double *d = i ? malloc(100) : calloc(10, 10);
    to->part.numbers = d;
    // A union has several types, a void pointer none, and memory can be accessed as another type:
    // CHECK-DAG: "line":[[@LINE+1]],"column":23,"callee":"malloc","type":null
    to->either.ints = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":17,"callee":"malloc","type":null
    to->block = malloc(100);
    // CHECK-DAG: "line":[[@LINE+1]],"column":34,"callee":"malloc","type":null
    ((struct bar *)to)->shorts = malloc(100);
}
