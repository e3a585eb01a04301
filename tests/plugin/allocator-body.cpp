// Calls inside an allocator are an implementation detail: its callers are the sites.
// RUN: %irxx -O0 %s | %check
// RUN: %irxx -O2 %s | %check
// CHECK: define {{.*}}@_Znwm(
// CHECK: call {{.*}}@malloc(
// CHECK-NOT: allocsite_v1
// CHECK: define {{.*}}@user(
// CHECK: call {{.*}}@__liballocsite_v1__Znwm(
#include <cstdlib>
#include <new>
__attribute__((noinline)) void *operator new(std::size_t n) {
    return std::malloc(n);
}
extern "C" void *user() {
    return ::operator new(8);
}
