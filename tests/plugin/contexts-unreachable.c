// Unreachable calls do not make the pass fail.
// RUN: %ir -O0 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
#include <stdlib.h>
void elsewhere(void);
// CHECK-LABEL: define {{.*}}@never(
// CHECK: ret i32
__attribute__((always_inline)) int never(void) {
    return 0;
dead:
    elsewhere();
    goto dead;
}
// CHECK-LABEL: define {{.*}}@both(
// CHECK: ret 
__attribute__((always_inline)) void *both(int n) {
    if (n)
        return malloc(n);
    return NULL;
dead:
    elsewhere();
    goto dead;
}
