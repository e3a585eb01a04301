// A musttail call cannot take another argument, and nothing can follow it: it stays unchanged and is no site.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK: define {{.*}}@tail(
// CHECK-NOT: allocsite_v1
// CHECK: musttail call {{.*}}@malloc(
// CHECK: define {{.*}}@frees(
// CHECK-NOT: allocsite_v1
// CHECK: musttail call {{.*}}@free(
#include <stdlib.h>
void *tail(size_t n) {
    __attribute__((musttail)) return malloc(n);
}
void frees(void *p) {
    __attribute__((musttail)) return free(p);
}
