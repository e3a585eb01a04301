// A malloc whose address is taken stays malloc. A call through a pointer that may change leaves its site, for the runtime or a
// wrapper to find, if it is asked for a size and returns raw memory.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK: define {{.*}}@called(
// CHECK: call void @take({{.*}}@malloc{{[ )]}}
// CHECK: store volatile {{.*}}@__allocsite_sites.called{{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}%{{.*}}24
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK-NOT: allocsite_v1
// CHECK: define {{.*}}@number(
// CHECK-NOT: allocsite_v1
// CHECK: ret
#include <stdlib.h>
void *(*hook)(size_t) = malloc;
void take(void *(*)(size_t));
void *called(void) {
    take(malloc);
    return hook(24);
}
long (*measure)(size_t);
long number(void) {
    return measure(24);
}
