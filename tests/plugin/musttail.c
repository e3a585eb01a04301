// A musttail call cannot gain an argument: the site is handed over just before.
// RUN: %ir %nolift -O0 %s | %check
// RUN: %ir %nolift -O2 %s | %check
// CHECK: define {{.*}}@tail(
// CHECK: call void @__liballocsite_v1_handover({{.*}}@__allocsite_sites.tail
// CHECK-NEXT: musttail call {{.*}}@malloc(i64 {{[^,]*}})
// CHECK-NEXT: ret
//
// Where the call need not allocate, the site would stay there for another call to take.
// CHECK: define {{.*}}@frees(
// CHECK-NOT: allocsite
// CHECK: musttail call {{.*}}@free(
// CHECK: define {{.*}}@reuses(
// CHECK-NOT: allocsite
// CHECK: musttail call {{.*}}@realpath(
#include <stdlib.h>
void *tail(size_t n) {
    __attribute__((musttail)) return malloc(n);
}
void frees(void *p) {
    __attribute__((musttail)) return free(p);
}
char *reuses(const char *path, char *buffer) {
    __attribute__((musttail)) return realpath(path, buffer);
}
