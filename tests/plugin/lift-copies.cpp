// A function that each file has a copy of takes the site of calls by its name as a parameter, in code that files share.
// One that nothing else comes to has no other code; for pointers there is an entry. Without a call there is no such code.
// RUN: %irxx -O2 %s | %check
// RUN: %irxx -O2 %s | %check --check-prefix=GONE
// RUN: %irxx -O0 %s | %check --check-prefix=PLAIN
#include <cstdlib>
#define ALONE __attribute__((noinline))
ALONE inline void *named(unsigned n) {
    return std::malloc(n);
}
ALONE inline void *pointed(unsigned n) {
    return std::malloc(n + 1);
}
ALONE inline void *uncalled(unsigned n) {
    return std::malloc(n + 2);
}
// CHECK-LABEL: define {{.*}}@_Z4user
// CHECK-NOT: lifted
// CHECK: call {{.*}}@_Z5namedj.sited({{.*}}__allocsite_sites._Z4user
// CHECK: call {{.*}}@_Z7pointedj.sited({{.*}}__allocsite_sites._Z4user
// CHECK: ret
void *user() {
    return named(1) ? pointed(2) : nullptr;
}
// CHECK-DAG: define linkonce_odr hidden {{.*}}@_Z5namedj.sited({{.*}}comdat
// CHECK-DAG: define linkonce_odr hidden {{.*}}@_Z7pointedj.sited({{.*}}comdat
// CHECK-DAG: define linkonce_odr {{.*}}@_Z7pointedj({{.*}}comdat
// GONE-NOT: define {{.*}}@_Z5namedj(
// GONE-NOT: @_Z8uncalledj.sited
// PLAIN-NOT: .sited
void *(*pointers(bool which))(unsigned) {
    return which ? pointed : uncalled;
}
