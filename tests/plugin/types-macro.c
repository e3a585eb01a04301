// Two calls in one macro share a position, and each has its own type, in either position that clang reports.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
#include <stdlib.h>
struct foo {
    int x;
};
#define BOTH(a, b) ((a) = malloc(10), (b) = malloc(20))
#define NEW(type) ((type *)malloc(sizeof(type)))
#define SAME(x) x
#define SWAPPED(x, y) (y, x)
void both(struct foo **foo, double **number, void **out) {
    struct foo *x;
    double *y;
    // One position:
    BOTH(x, y);
    // CHECK-DAG: "line":[[@LINE-1]],"column":5,"callee":"malloc","type":"struct foo"
    // CHECK-DAG: "line":[[@LINE-2]],"column":5,"callee":"malloc","type":"double"
    *foo = x, *number = y;
    // CHECK-DAG: "line":[[@LINE+1]],"column":14,"callee":"malloc","type":"struct foo"
    out[0] = NEW(struct foo);
    // CHECK-DAG: "line":[[@LINE+1]],"column":{{14|19}},"callee":"malloc","type":"long"
    out[1] = SAME(NEW(long));
    // CHECK-DAG: "line":[[@LINE+2]],"column":{{5|42}},"callee":"malloc","type":"short"
    // CHECK-DAG: "line":[[@LINE+1]],"column":{{5|22}},"callee":"malloc","type":"long"
    SWAPPED(out[2] = NEW(long), out[3] = NEW(short));
    // Unevaluated code is not counted, so neither of two types is certain:
    // CHECK-DAG: "line":[[@LINE+1]],"column":{{14|42}},"callee":"malloc","type":{{null|"long"}}
    out[4] = SAME(0 ? NEW(int) : (void *)NEW(long));
}
// A block within the macro has its own scope at the same position.
#define TABLE(a, b)                                                                                                    \
    do {                                                                                                               \
        (a) = malloc(10);                                                                                              \
        if (a) {                                                                                                       \
            struct foo *made = malloc(20);                                                                             \
            (b) = made;                                                                                                \
        }                                                                                                              \
    } while (0)
void nested(double **number, void **out) {
    // CHECK-DAG: "line":[[@LINE+2]],"column":5,"callee":"malloc","type":"struct foo"
    // CHECK-DAG: "line":[[@LINE+1]],"column":5,"callee":"malloc","type":"double"
    TABLE(*number, *out);
}
