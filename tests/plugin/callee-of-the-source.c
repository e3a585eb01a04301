// Callee, id and type are those of the source, even if LLVM makes calloc of malloc and memset, malloc of
// realloc(NULL, n), or strdup of strndup. Two calls in one macro stay two sites.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.0.o && %sites %t.0.o --format=json > %t.0
// RUN: %typed -O2 -c %s -o %t.2.o && %sites %t.2.o --format=json > %t.2
// RUN: sed 's/"module":"[^"]*"//g' %t.0 > %t.0.sites; sed 's/"module":"[^"]*"//g' %t.2 > %t.2.sites
// RUN: diff %t.0.sites %t.2.sites
// RUN: %check < %t.2
// RUN: %ir -O2 %s | %check --check-prefix=MADE
// RUN: %typed -O2 -fplugin=%plugin -mllvm -allocsite-types=0 -c %s -o %t.o && %sites %t.o --format=json | %check --check-prefix=UNTYPED
// CHECK-DAG: "line":[[@LINE+18]],"column":{{[0-9]+}},"callee":"malloc","type":"struct foo"
// CHECK-DAG: "line":[[@LINE+21]],"column":{{[0-9]+}},"callee":"realloc","type":"struct foo"
// CHECK-DAG: "line":[[@LINE+23]],"column":{{[0-9]+}},"callee":"strndup","type":"char"
// CHECK-DAG: "line":[[@LINE+27]],"column":{{[0-9]+}},"callee":"malloc","type":"struct foo"
// CHECK-DAG: "line":[[@LINE+26]],"column":{{[0-9]+}},"callee":"malloc","type":"long"
// CHECK-NOT: "callee":"calloc"
// UNTYPED: "callee":"malloc"
// UNTYPED-NOT: "callee":"{{calloc|strdup}}"
// MADE: call {{.*}}@__liballocsite_v1_calloc(
// MADE: call {{.*}}@__liballocsite_v1_malloc(
// MADE: call {{.*}}@__liballocsite_v1_strdup(
// MADE: call {{.*}}@__liballocsite_v1_calloc(
#include <stdlib.h>
#include <string.h>
struct foo {
    long x[10];
};
void cleared(struct foo **p) {
    p[0] = malloc(sizeof *p[0]);
    memset(p[0], 0, sizeof *p[0]);
}
void first(struct foo **p) {
    p[0] = realloc(NULL, sizeof *p[0]);
}
void whole(char **p) {
    p[0] = strndup("text", 400);
}
#define CLEAR(a) ((a) = malloc(sizeof *(a)), memset((a), 0, sizeof *(a)))
#define BOTH(a, b) (CLEAR(a), CLEAR(b))
void both(struct foo **p, long **q) {
    BOTH(p[0], q[0]);
}
