// From one function of a library to the next the site goes as it is, whether there is one or not: only the allocator's call
// asks, and only that has one for callers that leave none.
// RUN: %irxx -O2 -Wno-everything %s | %check
#include <cstdlib>
# 1 "/usr/include/chain/chain.h" 1 3
namespace chain {
__attribute__((noinline)) inline void *last(unsigned n) {
    return std::malloc(n);
}
__attribute__((noinline)) inline void *next(unsigned n) {
    return n & 1 ? last(n) : last(n + 1);
}
__attribute__((noinline)) inline void *first(unsigned n) {
    return next(n + 1);
}
} // namespace chain
# 15 "library-chain.cpp" 2
// CHECK-LABEL: define {{.*}}@_Z4user
// CHECK: call {{.*}}5firstEj.sited({{.*}}__allocsite_sites._Z4user
void *user() {
    return chain::first(1);
}
// CHECK-LABEL: define {{.*}}5firstEj.sited(
// CHECK-NOT: null
// CHECK: call {{.*}}4nextEj.sited({{[^,]*}}, {{i8\*|ptr}} %1)
// CHECK-LABEL: define {{.*}}4nextEj.sited(
// CHECK-NOT: null
// CHECK: ret
// CHECK-LABEL: define {{.*}}4lastEj.sited(
// CHECK: icmp {{.*}}null
// CHECK: select {{.*}}__allocsite_sites
// CHECK: call {{.*}}__liballocsite_v1_malloc
