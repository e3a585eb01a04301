// A site that was left for the library's calls is taken away once behind the last of them that nothing comes between.
// Landing pads need not: the personality does it.
// RUN: %irxx -O2 %s | %check
// RUN: %clangxx -g0 -Rpass=^$ -O2 -S -emit-llvm %s -o - | %check
#include <string>
// CHECK-LABEL: define {{.*}}twice
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: call {{.*}}reserve
// CHECK-NOT: store volatile {{.*}}null
// CHECK: store volatile {{.*}}__allocsite_sites{{.*}}lifted
// CHECK-NEXT: call {{.*}}reserve
// CHECK-NEXT: store volatile {{.*}}null{{.*}}lifted
void twice(std::string &one, std::string &other) {
    one.reserve(40);
    other.reserve(40);
}
void others();
// CHECK-LABEL: define {{.*}}between
// CHECK: call {{.*}}reserve
// CHECK-NEXT: store volatile {{.*}}null{{.*}}lifted
// CHECK: call {{.*}}others
// CHECK: call {{.*}}reserve
// CHECK-NEXT: store volatile {{.*}}null{{.*}}lifted
void between(std::string &one, std::string &other) {
    one.reserve(40);
    others();
    other.reserve(40);
}
// CHECK-LABEL: define {{.*}}caught
// CHECK-SAME: personality {{.*}}@__liballocsite_v1_personality.__gxx_personality_v0
// CHECK: invoke {{.*}}reserve
// CHECK: landingpad
// CHECK-NOT: lifted
// CHECK: __cxa_begin_catch
void caught(std::string &one) {
    try {
        one.reserve(40);
    } catch (...) {
    }
}
