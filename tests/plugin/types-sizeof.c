// If no conversion gives the type, the size does: a struct with a flexible array member is the struct.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
#include <stddef.h>
#include <stdlib.h>
struct part {
    long x, y;
};
struct foo {
    int count;
    struct part parts[];
};
size_t rounded(size_t size);
void *kept[12];
void sizes(int n, struct part *part, char *text) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"struct part"
    kept[0] = malloc(sizeof(struct part));
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"calloc","type":"struct part"
    kept[1] = calloc(n, sizeof *part);
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"struct part"
    kept[2] = malloc((size_t)n * sizeof(struct part[4]) + 1);
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"struct foo"
    kept[3] = malloc(sizeof(struct foo) + n * sizeof(struct part));
    // CHECK-DAG: "line":[[@LINE+1]],"column":17,"callee":"malloc","type":"struct foo"
    char *raw = malloc(sizeof(struct foo));
    // CHECK-DAG: "line":[[@LINE+1]],"column":26,"callee":"malloc","type":"struct foo"
    char *cast = (char *)malloc(sizeof(struct foo));
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"struct foo"
    kept[9] = malloc(offsetof(struct foo, parts) + n * sizeof(struct part));
    // Two types in the size, or a type that only contributes to it, give only "bytes":
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"bytes"
    kept[4] = malloc(sizeof(struct foo) + sizeof(struct part));
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"bytes"
    kept[5] = malloc(rounded(sizeof(struct foo)));
    // CHECK-DAG: "line":[[@LINE+1]],"column":15,"callee":"malloc","type":"bytes"
    kept[6] = malloc(n / sizeof(struct foo));
    // So does space for a number or a pointer in addition to the requested size:
    // CHECK-DAG: "line":[[@LINE+1]],"column":16,"callee":"malloc","type":"bytes"
    kept[10] = malloc(n + sizeof(void *));
    // CHECK-DAG: "line":[[@LINE+1]],"column":16,"callee":"malloc","type":"struct part"
    kept[11] = malloc(n * sizeof *part + sizeof(int));
    kept[7] = raw, kept[8] = cast;
}
