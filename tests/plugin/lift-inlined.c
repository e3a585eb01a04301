// The call of an inlined wrapper is the site, with the wrapper as its callee: of several the outermost.
// RUN: %clang -O2 -c %s -o %t.o && %sites --format=json %t.o | %check
// RUN: %clang %nolift -O2 -c %s -o %t.inner.o && %sites --format=json %t.inner.o | %check --check-prefix=INNER
// CHECK: "function":"user",{{.*}}"line":[[@LINE+14]],"column":12,"callee":"outer","type":{{[^,]*}},"inlined":[]
// CHECK-NOT: "callee":"malloc"
// INNER: "function":"inner",{{.*}}"callee":"malloc","type":{{[^,]*}},"inlined":[{"function":"outer",{{.*}},{"function":"user",
#include <stdlib.h>
static void *inner(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
static void *outer(size_t n) {
    return inner(n + 8);
}
void *user(void) {
    return outer(1);
}
