// In a shared object another module may bring a wrapper of the same name. Its twin, by which the calls in its own file go too, jumps
// where a pointer leads. At first that is to who compares what the name reaches with the definition here: from then on the code,
// or who leaves the site and calls by name. A hidden one is called as ever, and one with versions leaves no way to tell.
// RUN: %ir -O2 -fPIC %s | %check
// RUN: %ir -O2 -fPIC -DVERSIONED %s | %check --check-prefix=NONE
// RUN: %ir -O2 -fPIC -fplugin=%plugin -mllvm -allocsite-twins=0 %s | %check --check-prefix=NONE
// RUN: %ir -O2 -fPIE %s | %check --check-prefix=PIE
// CHECK: @open.sited.pl.where = private global {{.*}}@open.sited.pl.first
// CHECK: @open.sited.named = private global {{.*}}@open{{$}}
// CHECK: @open.sited.own = internal alias {{.*}}@open{{$}}
// CHECK: define internal {{.*}}@open.sited({{.*}}, {{.*}} [[SITE:%.*]])
// CHECK-NOT: @__allocsite_v1_lifted
// CHECK: call {{.*}}@__allocsite_v1_malloc({{.*}}, {{.*}} [[SITE]])
// CHECK: define {{.*}}@open({{.*}} prefix {{.*}}@open.sited {{.*}}@open 
// CHECK: load volatile {{.*}}@__allocsite_v1_lifted
// CHECK: tail call {{.*}}@open.sited(
// CHECK: define hidden {{.*}}@closed.sited.pl(
// CHECK-NOT: where
// CHECK: define {{.*}}@user(
// CHECK-NOT: @__allocsite_v1_lifted
// CHECK: call {{.*}}@open.sited.pl({{.*}} 1, {{.*}}@__allocsite_sites.user
// CHECK: call {{.*}}@closed.sited.pl({{.*}} 2, {{.*}}@__allocsite_sites.user
// CHECK: define hidden {{.*}}@open.sited.pl({{.*}}
// CHECK-NEXT: call void asm sideeffect "jmpq *${0:c}(%rip)", "i"({{.*}}@open.sited.pl.where
// CHECK-NEXT: unreachable
// CHECK: define internal {{.*}}@open.sited.pl.leaving(
// CHECK-NEXT: store volatile {{.*}}@__allocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@open(
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__allocsite_v1_lifted
// CHECK: define internal {{.*}}@open.sited.pl.first(
// CHECK-NEXT: [[NAMED:%.*]] = load volatile {{.*}}@open.sited.named
// CHECK-NEXT: [[IS:%.*]] = icmp eq {{.*}} [[NAMED]], @open.sited.own
// CHECK-NEXT: [[TO:%.*]] = select i1 [[IS]], {{.*}}@open.sited, {{.*}}@open.sited.pl.leaving
// CHECK: store atomic {{.*}}@open.sited.pl.where
// CHECK-NEXT: musttail call {{.*}}[[TO]](
// NONE-NOT: @open.sited.pl
// NONE: define {{.*}}@user(
// NONE: store volatile {{.*}}@__allocsite_v1_lifted
// NONE-NEXT: call {{.*}}@open({{.*}} 1)
// NONE-NEXT: store volatile {{.*}} null, {{.*}}@__allocsite_v1_lifted
// PIE-NOT: .where
// PIE: define hidden {{.*}}@open.sited.pl(
// PIE-NOT: .where
#include <stdlib.h>
#ifdef VERSIONED
__asm__(".symver open, open@V1");
#endif
#define APART __attribute__((noinline))
APART void *open(size_t n) {
    return malloc(n);
}
APART __attribute__((visibility("hidden"))) void *closed(size_t n) {
    return malloc(n);
}
extern void *volatile sink;
void user(void) {
    sink = open(1);
    sink = closed(2);
}
