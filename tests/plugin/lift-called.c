// A wrapper that is called takes the site that its caller has left, and passes it on with its own calls.
// RUN: %ir -O0 %s | %check
// CHECK: @__liballocsite_v1_lifted = external thread_local(initialexec) global
// CHECK: define {{.*}}@inner(
// CHECK: [[INNER:%.*]] = load volatile {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: [[TEST:%.*]] = icmp eq {{.*}} [[INNER]], null
// CHECK-NEXT: br i1 [[TEST]]
// CHECK: [[OTHER:%.*]] = select {{.*}}@__allocsite_sites.inner
// CHECK: [[SITE:%.*]] = phi {{.*}}[ [[INNER]], {{.*}}[ [[OTHER]],
// CHECK: call {{.*}}@__liballocsite_v1_malloc(i64 {{.*}}, {{.*}} [[SITE]])
// CHECK: define {{.*}}@outer(
// CHECK: [[OUTER:%.*]] = load volatile {{.*}}@__liballocsite_v1_lifted
// CHECK: [[OTHER:%.*]] = select {{.*}}@__allocsite_sites.outer
// CHECK: [[SITE:%.*]] = phi {{.*}}[ [[OUTER]], {{.*}}[ [[OTHER]],
// CHECK: store volatile {{.*}} [[SITE]], {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@inner(
// CHECK: define {{.*}}@user(
// CHECK-NOT: load volatile
// CHECK: store volatile {{.*}}@__allocsite_sites.user{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@outer(
// CHECK-NOT: store volatile
// CHECK: ret
#include <stdlib.h>
void *inner(size_t n) {
    return malloc(n);
}
void *outer(size_t n) {
    return inner(n + 8);
}
void *user(void) {
    return outer(1);
}
