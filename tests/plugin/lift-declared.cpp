// Around a call of what is only declared to be a wrapper, or may be replaced by another one, the site is left and taken
// away again, whichever way it returns or is left: by the runtime's personality, or one that calls the frame's own.
// RUN: %irxx -O2 -fPIC -fplugin=%plugin -mllvm -allocsite-twins=0 %s | %check
// CHECK: define {{.*}}@plain({{.*}} personality {{.*}}@__liballocsite_v1_personality
// CHECK: store volatile {{.*}}@__allocsite_sites.plain{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@fresh(
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: define {{.*}}@sized(
// CHECK: store volatile {{.*}}@__allocsite_sites.sized{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@grown(
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: define {{.*}}@guarded({{.*}} personality {{.*}}@__liballocsite_v1_personality.__gxx_personality_v0
// CHECK: store volatile {{.*}}@__allocsite_sites.guarded{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: invoke {{.*}}@fresh(
// CHECK: landingpad
// CHECK-NOT: lifted
// CHECK: phi
// CHECK: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: define {{.*}}@partly({{.*}} personality {{.*}}@__liballocsite_v1_personality.__gxx_personality_v0
// CHECK: invoke {{.*}}@fresh({{.*}} 5)
// CHECK: store volatile {{.*}}@__allocsite_sites.partly{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@fresh({{.*}} 6)
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: define {{.*}}@tail(
// CHECK-NOT: @__allocsite_sites
// CHECK: musttail call {{.*}}@fresh(
// CHECK: define {{.*}}@user(
// CHECK: store volatile {{.*}}@__allocsite_sites.user{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@here(
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: define linkonce_odr hidden {{.*}}@__liballocsite_v1_personality.__gxx_personality_v0(
// CHECK: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: musttail call {{.*}}@__gxx_personality_v0
#include <cstdlib>
extern "C" {
__attribute__((malloc)) void *fresh(std::size_t n);
__attribute__((alloc_size(2))) void *grown(void *p, std::size_t n);
void *plain() {
    return fresh(1);
}
void *sized(void *p) {
    return grown(p, 2);
}
void *guarded() {
    try {
        return fresh(3);
    } catch (int) {
        return nullptr;
    }
}
extern void *sink;
void *partly() {
    try {
        sink = fresh(5);
    } catch (int) {
    }
    return fresh(6);
}
void *tail(std::size_t n) {
    [[clang::musttail]] return fresh(n);
}
__attribute__((noinline)) void *here(std::size_t n) {
    return std::malloc(n);
}
void *user() {
    return here(4);
}
}
