// -allocsite-types=0 finds no types, and neither does a pass without the AST half.
// REQUIRES: types
// RUN: %typed -fplugin=%plugin -mllvm -allocsite-types=0 -c %s -o %t.off.o && %sites %t.off.o --format=json | %check
// RUN: %clang -g1 -c %s -o %t.alone.o && %sites %t.alone.o --format=json | %check
// CHECK: "callee":"malloc","type":null
#include <stdlib.h>
int *make(void) {
    return malloc(100);
}
