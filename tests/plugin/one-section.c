// Functions in one section of the object file share one array of descriptors with one relocation. Names that
// no other file has need no relocation; callees and types do. Functions in sections of their own have their
// own arrays, which are dropped with them.
// REQUIRES: types
// RUN: %typed -O0 -c %s -o %t.o && readelf -SrW %t.o | %check
// RUN: %typed -O2 -c %s -o %t.O2.o && readelf -SrW %t.O2.o | %check
// RUN: %sites %t.O2.o --format=json | %check --check-prefix=SITES
// RUN: %typed -O2 -ffunction-sections -c %s -o %t.own.o && readelf -SW %t.own.o | %check --check-prefix=OWN
// CHECK-COUNT-2: ] allocsite_sites PROGBITS
// CHECK-NOT: ] allocsite_sites PROGBITS
// CHECK: '.relaallocsite_sites' at offset {{.*}} contains 1 entry:
// CHECK: '.relaallocsite_frames' at offset {{.*}} contains 4 entries:
// CHECK: '.relaallocsite_sites' at offset {{.*}} contains 1 entry:
// SITES-DAG: "line":[[@LINE+7]]
// SITES-DAG: "line":[[@LINE+9]]
// SITES-DAG: "line":[[@LINE+11]]
// OWN-COUNT-3: ] allocsite_sites PROGBITS
// OWN-NOT: ] allocsite_sites PROGBITS
#include <stdlib.h>
void *first(void) {
    return malloc(1);
}
void *second(void) {
    return calloc(2, 2);
}
__attribute__((section("apart"))) void *third(void) {
    return malloc(3);
}
