// A wrapper may tail-call the allocator, and be tail-called: nothing has to follow.
// RUN: %ir -O2 %s | %check
// CHECK: define {{.*}}@tail(
// CHECK: [[LEFT:%.*]] = load volatile {{.*}}@__liballocsite_v1_lifted
// CHECK: [[OTHER:%.*]] = select {{.*}}@__allocsite_sites.tail
// CHECK: [[SITE:%.*]] = phi {{.*}}[ [[LEFT]], {{.*}}[ [[OTHER]],
// CHECK: call void @__liballocsite_v1_handover({{.*}} [[SITE]])
// CHECK-NEXT: musttail call {{.*}}@malloc(
// CHECK: define {{.*}}@user(
// CHECK: [[SITE:%.*]] = phi
// CHECK: store volatile {{.*}} [[SITE]], {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: musttail call {{.*}}@tail(
// CHECK-NEXT: ret
#include <stdlib.h>
__attribute__((noinline)) void *tail(size_t n) {
    __attribute__((musttail)) return malloc(n);
}
extern int step(void);
__attribute__((noinline)) void *user(size_t n) {
    if (step())
        return NULL;
    __attribute__((musttail)) return tail(n);
}
