// The hash does not change when lines are added above the function, with or without debug info. It depends on
// the code in the function.
// RUN: %ir -O2 %s | grep -o 'allocsite.site { i64 [^,]*, i32 -512' > %t.before
// RUN: %ir -O2 -DEDITED %s | grep -o 'allocsite.site { i64 [^,]*, i32 -512' > %t.after
// RUN: cat %t.before > %t.both && sed 's/^/edited /' %t.after >> %t.both
// RUN: (printf '\n\n\n'; cat %s) > %t.shifted.c && %ir -O2 %t.shifted.c | grep -o 'allocsite.site { i64 [^,]*, i32 -512' > %t.moved
// RUN: cmp %t.before %t.moved
// RUN: %ir -O2 -g0 -Rpass=^$ %s | grep -o 'allocsite.site { i64 [^,]*, i32 -512' > %t.nodebug
// RUN: cmp %t.before %t.nodebug
// RUN: %check < %t.both
// CHECK: allocsite.site { i64 [[SAME:-?[0-9]+]], i32 -512
// CHECK-NEXT: allocsite.site { i64 [[CHANGED:-?[0-9]+]], i32 -512
// CHECK-NEXT: edited allocsite.site { i64 [[SAME]], i32 -512
// CHECK-NOT: edited allocsite.site { i64 [[CHANGED]], i32 -512
#include <stdlib.h>
void *same(void) {
    return malloc(1);
}
void *changed(void) {
#ifdef EDITED
    extern void step(void); step();

    return malloc(2);
#else
    return malloc(2);
#endif
}
