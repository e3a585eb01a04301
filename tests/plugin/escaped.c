// A malloc whose address is taken stays malloc, and a call through a pointer that may change is no site: what it allocates is
// known by the path there.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK: define {{.*}}@called(
// CHECK-NOT: allocsite_v1
// CHECK: call void @take({{.*}}@malloc{{[ )]}}
// CHECK-NOT: allocsite_v1
// CHECK: call {{.*}}%{{.*}}24
// CHECK-NOT: allocsite_v1
// CHECK: ret
#include <stdlib.h>
void *(*hook)(size_t) = malloc;
void take(void *(*)(size_t));
void *called(void) {
    take(malloc);
    return hook(24);
}
