// Calls are not merged until they pass their sites. Then equal calls may be merged, unless the program itself
// forbids it (nomerge).
// RUN: %ir -O2 %s | %check
// RUN: %ir -O2 -DAPART='__attribute__((nomerge))' %s | %check --check-prefix=OWN
// CHECK: define {{.*}}@user(
// CHECK-COUNT-2: call {{.*}}@__liballocsite_v1_malloc(
// CHECK-NOT: nomerge
// CHECK-NOT: allocsite-apart
// OWN: define {{.*}}@user(
// OWN: call {{.*}}@__liballocsite_v1_malloc({{.*}}) #[[OWN:[0-9]+]]
// OWN: attributes #[[OWN]] = {{.*}} nomerge
// OWN-NOT: allocsite-apart
#include <stdlib.h>
#ifndef APART
#define APART
#endif
extern void *sink;
void user(int is_large) {
    if (is_large) {
        APART sink = malloc(1000);
    } else {
        APART sink = malloc(10);
    }
}
