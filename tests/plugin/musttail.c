// A musttail call cannot gain an argument: the site is handed over just before.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK: define {{.*}}@tail(
// CHECK: call void @__allocsite_v1_handover({{.*}}@__allocsite_sites.tail
// CHECK-NEXT: musttail call {{.*}}@malloc(i64 {{[^,]*}})
// CHECK-NEXT: ret
#include <stdlib.h>
void *tail(size_t n) {
    __attribute__((musttail)) return malloc(n);
}
