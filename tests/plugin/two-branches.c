// The two calls of an if stay two sites with their lines. LLVM would merge them into one call at line 0.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK: @__allocsite_sites.pick = private externally_initialized global [2 x %allocsite.site] [
// CHECK-SAME: i32 -512, i32 [[@LINE+10]],
// CHECK-SAME: i16 13, i8 1, i8 32
// CHECK-SAME: i32 -512, i32 [[@LINE+10]],
// CHECK-SAME: i16 13, i8 1, i8 32
// CHECK: define {{.*}}@pick(
// CHECK-COUNT-2: call {{.*}}@__liballocsite_v1_malloc(i64 {{[^,]*}},
#include <stdlib.h>
void *pick(int c) {
    void *p;
    if (c)
        p = malloc(8);
    else
        p = malloc(16);
    return p;
}
