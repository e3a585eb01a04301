// A malloc whose address is taken stays malloc. A call through a variable pointer is no site; its allocations
// are known by their call path.
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
