// A helper inlined into three callers is three sites, each with its chain.
// RUN: %clang -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check --check-prefix=ONE
// RUN: %clang -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check --check-prefix=THREE
// ONE-COUNT-1: "function":"helper"
// ONE-SAME: "line":[[@LINE+13]],"column":12,"callee":"malloc","type":null,"inlined":[]
// ONE-NOT: "function":"helper"
// ONE: "functions":
// THREE-COUNT-3: "function":"helper",{{[^]]*}}"line":[[@LINE+10]],"column":12,"callee":"malloc","type":null,"inlined":[{{[^]]*}}]
// THREE-NOT: "callee"
//
// RUN: %sites %t.O2.o --format=json | %check --check-prefix=CHAINS
// CHAINS-DAG: "inlined":[{"function":"first",{{[^}]*}}"line":[[@LINE+9]],"column":{{[0-9]+}}}]
// CHAINS-DAG: "inlined":[{"function":"second",{{[^}]*}}"line":[[@LINE+11]],"column":{{[0-9]+}}}]
// CHAINS-DAG: "inlined":[{"function":"middle",{{[^}]*}}"line":[[@LINE+13]],"column":{{[0-9]+}}},{"function":"third",{{[^}]*}}"line":[[@LINE+16]],"column":{{[0-9]+}}}]
#include <stdlib.h>

static inline void *helper(size_t n) {
    return malloc(n + 1);
}
void *first(void) {
    return helper(1);
}
void *second(void) {
    return helper(2);
}
static inline void *middle(void) {
    return helper(3);
}
void *third(void) {
    return middle();
}
