// A call that LLVM creates has the type of the call that it was made from.
// REQUIRES: types
// RUN: %typed -O2 -c %s -o %t.o && %sites %t.o --format=json | %check
// RUN: %clang -O2 -c %s -o %t.debug.o && %sites %t.debug.o --format=json | %check
// CHECK: "callee":"malloc","type":"struct foo"
#include <stdlib.h>
#include <string.h>
struct foo {
    long x[10];
};
struct foo *make(void) {
    struct foo *foo = malloc(sizeof *foo);
    if (!foo)
        return 0;
    memset(foo, 0, sizeof *foo);
    return foo;
}
