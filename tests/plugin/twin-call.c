// A call of a wrapper of another file passes the site to its twin. For the linker to find one in any case the file has a stand-in,
// which leaves the site and takes it away again, also when an exception passes it. Not for what has a version, and for what passes
// more than values.
// RUN: %ir -O2 -fPIE %s | %check
// RUN: %ir -O2 -fno-pie %s | %check
// RUN: %ir -O0 %s | %check --check-prefix=NONE
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-twins=0 %s | %check --check-prefix=NONE
// RUN: %ir -O2 -DVERSIONED %s | %check --check-prefix=NONE
// CHECK: $fresh.sited.pi = comdat any
// CHECK: define {{.*}}@user(
// CHECK-NOT: store volatile
// CHECK: call {{.*}}@fresh.sited.pi({{.*}} 1, {{.*}}@__allocsite_sites.user
// CHECK: call {{.*}}@fresh.sited.pi({{.*}} 2, {{.*}}@__allocsite_sites.user
// CHECK: store volatile {{.*}}@__allocsite_sites.user
// CHECK-NEXT: call {{.*}}@absent(
// CHECK: store volatile {{.*}}@__allocsite_sites.user
// CHECK-NEXT: call {{.*}}@formatted(
// CHECK: store volatile {{.*}}@__allocsite_sites.user
// CHECK-NEXT: call {{.*}}@"{{.*}}old@V1"(
// CHECK: store volatile {{.*}}@__allocsite_sites.user
// CHECK-NEXT: call {{.*}}@copied(
// CHECK: define weak hidden {{.*}}@fresh.sited.pi({{.*}} [[SIZE:%.*]], {{.*}} [[SITE:%.*]]){{.*}} comdat personality {{.*}}@__liballocsite_v1_personality
// CHECK-NEXT: store volatile {{.*}} [[SITE]], {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@fresh({{.*}} [[SIZE]])
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: ret
// CHECK: define weak hidden {{.*}}@shared.sited.pl({{.*}} comdat
// NONE-NOT: .sited
#include <stddef.h>
__attribute__((malloc)) void *fresh(int n);
__attribute__((malloc, weak)) void *absent(size_t n);
__attribute__((malloc)) char *formatted(const char *format, ...);
__attribute__((malloc, visibility("hidden"))) void *shared(size_t n);
__attribute__((malloc)) void *old(size_t n) __asm__("old@V1");
struct large {
    long parts[4];
};
__attribute__((malloc)) void *copied(struct large);
#ifdef VERSIONED
__asm__(".symver fresh, fresh@V1");
#endif
extern void *volatile sink;
void user(void) {
    sink = fresh(1);
    sink = fresh(2);
    sink = absent ? absent(3) : NULL;
    sink = formatted("4");
    sink = old(6);
    sink = copied((struct large){{7}});
    sink = shared(5);
}
