// In a shared object another module may bring a wrapper of the same name: the site is left for whichever answers, by who calls it in
// its own file and in others, and taken away again; its twin, for files that do not know that it is a wrapper, leaves the site as well.
// There is no stand-in for one. A hidden wrapper has its twin.
// RUN: %ir -O2 -fPIC %s | %check
// RUN: %ir -O2 -fPIE %s | %check --check-prefix=PIE
// CHECK-NOT: @other.sited
// CHECK: define {{.*}}@open(
// CHECK-NEXT: load volatile {{.*}}@__liballocsite_v1_lifted
// CHECK: define internal {{.*}}@closed.sited(
// CHECK: define {{.*}}@user(
// CHECK: store volatile {{.*}}@__allocsite_sites.user{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@open({{.*}} 1)
// CHECK: call {{.*}}@closed.sited({{.*}} 2, {{.*}}@__allocsite_sites.user
// CHECK: store volatile {{.*}}@__allocsite_sites.user{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@other({{.*}} 3)
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: call {{.*}}@apart.sited.pl({{.*}} 4, {{.*}}@__allocsite_sites.user
// CHECK: define weak hidden {{.*}}@apart.sited.pl(
// CHECK-NOT: @other.sited
// CHECK: define hidden {{.*}}@open.sited.pl(
// CHECK-NEXT: icmp ne {{.*}}@__real_open, null
// CHECK: store volatile
// CHECK-NEXT: call {{.*}}@open(
// PIE-DAG: define hidden {{.*}}@open.sited.pl(
// PIE-DAG: define weak hidden {{.*}}@other.sited.pl(
#include <stdlib.h>
#define APART   __attribute__((noinline))
#define HIDDEN  __attribute__((visibility("hidden")))
#define WRAPPER __attribute__((malloc))
APART void *open(size_t n) {
    return malloc(n);
}
APART HIDDEN void *closed(size_t n) {
    return malloc(n);
}
WRAPPER void *other(size_t n);
WRAPPER HIDDEN void *apart(size_t n);
extern void *volatile sink;
void user(void) {
    sink = open(1);
    sink = closed(2);
    sink = other(3);
    sink = apart(4);
}
