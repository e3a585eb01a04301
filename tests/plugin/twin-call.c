// A call of a wrapper of another file passes the site to its twin. For the linker to find one in any case the file has a stand-in,
// which leaves the site and takes it away again, also when an exception passes it. Where the call may go through the linkage table it
// does so until the runtime has looked what the first one has reached. For a fixed address the function is told to be elsewhere, too,
// unless the program takes its address. Not for what has a version, and for what passes more than values.
// RUN: %ir -O2 -fPIE %s | %check
// RUN: %ir -O2 -fno-pie %s | %check
// RUN: %ir -O2 -fno-pie %s | %check --check-prefix=FIXED
// RUN: %ir -O2 -mretpoline %s | %check --check-prefix=HARDENED
// RUN: %ir -O2 -fno-pie -DTAKEN %s | %check --check-prefix=TAKEN
// RUN: %ir -O0 %s | %check --check-prefix=NONE
// RUN: %ir -O2 -fPIC %s | %check
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-twins=0 %s | %check --check-prefix=NONE
// RUN: %ir -O2 -DVERSIONED %s | %check --check-prefix=NONE
// FIXED-NOT: declare {{.*}}dso_local {{.*}}@fresh(
// TAKEN: declare {{.*}}dso_local {{.*}}@fresh(
// HARDENED: define weak hidden {{.*}}@fresh.sited.pi({{.*}} [[SIZE:%.*]], {{.*}} [[SITE:%.*]]){{.*}} comdat {
// HARDENED: load {{.*}}@fresh.sited.pi.way
// HARDENED: musttail call {{.*}}({{.*}} [[SIZE]], {{.*}} [[SITE]])
// CHECK: $fresh.sited.pi = comdat any
// CHECK: @fresh.sited.pi.way = private global {{.*}}@fresh.sited.pi.first{{.*}}@fresh.sited.pi.leaving{{.*}} dso_local_equivalent @fresh {{.*}}, comdat($fresh.sited.pi)
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
// CHECK: define weak hidden {{.*}}@fresh.sited.pi({{.*}} comdat {
// CHECK-NEXT: call void asm sideeffect "jmpq *${0:c}(%rip)", "i"({{.*}}@fresh.sited.pi.way
// CHECK-NEXT: unreachable
// CHECK: define weak hidden {{.*}}@shared.sited.pl({{.*}} [[SIZE:%.*]], {{.*}} [[SITE:%.*]]){{.*}} comdat personality {{.*}}@__allocsite_v1_personality
// CHECK-NEXT: store volatile {{.*}} [[SITE]], {{.*}}@__allocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@shared({{.*}} [[SIZE]])
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__allocsite_v1_lifted
// CHECK-NEXT: ret
// CHECK: define internal {{.*}}@fresh.sited.pi.leaving({{.*}} [[SIZE:%.*]], {{.*}} [[SITE:%.*]]){{.*}} comdat($fresh.sited.pi) personality {{.*}}@__allocsite_v1_personality
// CHECK-NEXT: store volatile {{.*}} [[SITE]], {{.*}}@__allocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@fresh({{.*}} [[SIZE]])
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__allocsite_v1_lifted
// CHECK-NEXT: ret
// CHECK: define internal {{.*}}@fresh.sited.pi.first({{.*}} [[SIZE:%.*]], {{.*}} [[SITE:%.*]]){{.*}} comdat($fresh.sited.pi) personality {{.*}}@__allocsite_v1_personality
// CHECK-NEXT: store volatile {{.*}} [[SITE]], {{.*}}@__allocsite_v1_lifted
// CHECK-NEXT: [[BLOCK:%.*]] = call {{.*}}@fresh({{.*}} [[SIZE]])
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__allocsite_v1_lifted
// CHECK-NEXT: call void @__allocsite_v1_lead({{.*}}@fresh.sited.pi.way
// CHECK-NEXT: ret {{.*}} [[BLOCK]]
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
#ifdef TAKEN
void *(*taken)(int) = fresh;
#endif
void user(void) {
    sink = fresh(1);
    sink = fresh(2);
    sink = absent ? absent(3) : NULL;
    sink = formatted("4");
    sink = old(6);
    sink = copied((struct large){{7}});
    sink = shared(5);
}
