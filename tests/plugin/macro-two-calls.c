// Two calls in one macro share a position and are two sites with two hashes.
// RUN: %ir -O0 %s | %check
// RUN: %ir -O2 %s | %check
// CHECK: @__allocsite_sites.both = private externally_initialized global [2 x %allocsite.site] [
// CHECK-SAME: { i64 [[FIRST:-?[0-9]+]], i32 -512, i32 [[@LINE+8]],
// CHECK-NOT: i64 [[FIRST]], i32 -512
// CHECK-SAME: i32 -512, i32 [[@LINE+6]],
#include <stdlib.h>
#define PAIR(a, b) (a = malloc(10), b = malloc(20))
void both(void **a, void **b) {
    void *x, *y;
    // One position:
    PAIR(x, y);
    *a = x, *b = y;
}
