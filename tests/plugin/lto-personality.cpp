// LTO inlines functions only into those of the same personality, so before it all that have one get the same; without
// LTO only those that leave a site.
// RUN: %clangxx -O2 -flto -c %s -o - | %dis | %check
// RUN: %clangxx -O2 -flto=thin -c %s -o - | %dis | %check
// RUN: %irxx -O2 %s | %check --check-prefix=ALONE
// CHECK: define {{.*}}leaving{{.*}} personality {{.*}}@__liballocsite_v1_personality.__gxx_personality_v0
// CHECK: define {{.*}}other{{.*}} personality {{.*}}@__liballocsite_v1_personality.__gxx_personality_v0
// ALONE: define {{.*}}leaving{{.*}} personality {{.*}}@__liballocsite_v1_personality.__gxx_personality_v0
// ALONE: define {{.*}}other{{.*}} personality {{.*}}@__gxx_personality_v0
#include <string>
struct Guard {
    ~Guard();
};
void callee();
void leaving(std::string &one) {
    Guard guard;
    one.reserve(40);
}
void other() {
    Guard guard;
    callee();
}
