// A twin only jumps to the code of its wrapper, which reads the context that the twin's caller has stored.
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
#include <stdlib.h>

// CHECK: define {{.*}}@sized(
// CHECK: store volatile {{.*}}@__liballocsite_v1_context
// CHECK: define {{.*}}@sized.sited.pl(
// CHECK-NOT: __liballocsite_v1_context
// CHECK: tail call {{.*}}@sized.sited(
// CHECK-NEXT: ret
__attribute__((noinline)) void *sized(size_t n) {
    return malloc(n + 8);
}

void *keep;
void use(void) {
    keep = sized(3);
}
