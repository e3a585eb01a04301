// A wrapper of an executable has its code under a name that tells the types of the parameters, with the site as the last one, for
// other files; not one that another definition may replace. Of one that nothing is optimized in, or that others see traced, the
// twin leaves the site for the function itself, and is not traced. With ld --wrap=NAME there is a function for __real_NAME, and
// twins are for __wrap_NAME then.
// RUN: %ir -O2 %s | %check
// RUN: %ir -O2 %nolift %s | %check --check-prefix=NONE
// RUN: %ir -O0 %s | %check --check-prefix=LEAVES
// RUN: %ir -O2 -finstrument-functions-after-inlining %s | %check --check-prefix=LEAVES
// RUN: %ir -O2 -pg %s | %check --check-prefix=LEAVES
// RUN: %clang -O2 -pg -mfentry -S %s -o - | %check --check-prefix=ENTERED
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-twins=0 %s | %check --check-prefix=NONE
// CHECK: define internal {{.*}}@sized.sited({{.*}}, {{.*}} [[SITE:%.*]])
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@__liballocsite_v1_malloc({{.*}}, {{.*}} [[SITE]])
// CHECK: define {{.*}}@sized(
// CHECK: load volatile {{.*}}@__liballocsite_v1_lifted
// CHECK: call {{.*}}@sized.sited(
// CHECK: define {{.*}}@renamed(
// CHECK: call {{.*}}@renamed.sited(
// CHECK-NOT: @{{.*}}.sited
// CHECK: define {{.*}}@weak(
// CHECK-NOT: @{{.*}}.sited
// CHECK: define {{.*}}@wide(
// CHECK: define hidden {{.*}}@sized.sited.pl({{.*}}, {{.*}} [[SITE:%[^)]*]])
// CHECK: icmp ne {{.*}}@__real_sized, null
// CHECK: tail call {{.*}}@sized.sited({{.*}} [[SITE]])
// CHECK-NEXT: ret
// CHECK: [[WRAP:%.*]] = call {{.*}}asm {{.*}}@__wrap_sized)
// CHECK: tail call {{.*}} [[WRAP]](
// CHECK-NEXT: ret
// CHECK: define hidden {{.*}}@letters.sited.plpisfdcb(
// CHECK: define hidden {{.*}}@shared.sited.pl(
// CHECK: define hidden {{.*}}@renamed.sited.pl(
// CHECK-NOT: @{{weak|wide}}.sited
// LEAVES: define hidden {{.*}}@sized.sited.pl({{.*}}, {{.*}} [[SITE:%[^ ]*]])
// LEAVES-NEXT: icmp ne {{.*}}@__real_sized, null
// LEAVES: store volatile {{.*}} [[SITE]], {{.*}}@__liballocsite_v1_lifted
// LEAVES-NEXT: call {{.*}}@sized(
// LEAVES-NEXT: ret
// ENTERED: {{^}}sized.sited.pl:
// ENTERED-NOT: __fentry__
// ENTERED: {{call|jmp}}{{q?}} sized
// NONE-NOT: .sited
#include <stdbool.h>
#include <stdlib.h>
void *sized(size_t n) {
    return malloc(n);
}
void *letters(size_t n, const char *text, int i, short s, float f, double d, char c, bool b) {
    char *p = malloc(n);
    if (p)
        p[0] = text[0] + i + s + f + d + c + b;
    return p;
}
__attribute__((visibility("hidden"))) void *shared(size_t n) {
    return malloc(n);
}
void *labelled(size_t n) __asm__("renamed");
void *labelled(size_t n) {
    return malloc(n);
}
__attribute__((weak)) void *weak(size_t n) {
    return malloc(n);
}
typedef long two __attribute__((vector_size(16)));
void *wide(two n) {
    return malloc(n[0]);
}
