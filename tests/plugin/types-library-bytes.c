// A line that has a library allocate both objects and memory of no type says so: most of its blocks may be the latter.
// REQUIRES: types
// RUN: %typed -O0 -isystem %S/Inputs/system -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typed -O2 -isystem %S/Inputs/system -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
#include <box/pool.h>
// CHECK: "line":[[@LINE+2]],{{.*}}"type":"bytes or struct pool"
struct pool *make(void) {
    return pool_new(1000);
}
