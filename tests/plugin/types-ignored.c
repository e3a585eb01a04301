// Blocks of a type that a list ignores have an unknown type.
// REQUIRES: types
// RUN: printf 'type:struct b*=ignore\n' > %t.list
// RUN: %typed -O2 -fplugin=%plugin -mllvm -allocsite-list=%t.list -c %s -o %t.o && %sites %t.o --format=json | %check
// RUN: %clang -O2 -fplugin=%plugin -mllvm -allocsite-list=%t.list -c %s -o %t.debug.o && %sites %t.debug.o --format=json | %check
#include <stdlib.h>
struct foo {
    int x;
};
struct bar {
    int x;
};
// CHECK-DAG: "line":[[@LINE+2]],"column":12,"callee":"malloc","type":"struct foo"
struct foo *foo(void) {
    return malloc(100);
}
// CHECK-DAG: "line":[[@LINE+2]],"column":12,"callee":"malloc","type":null
struct bar *bar(void) {
    return malloc(100);
}
