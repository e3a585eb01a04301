// Two calls of a wrapper in one macro stand at one place and are two sites, inlined or not.
// RUN: %clang -O0 -c %s -o %t.O0.o && %sites --format=json %t.O0.o | grep -o '{"id[^{]*"callee":"xmalloc"' > %t.O0
// RUN: %clang -O2 -c %s -o %t.O2.o && %sites --format=json %t.O2.o | grep -o '{"id[^{]*"callee":"xmalloc"' > %t.O2
// RUN: sed 's/"module":"[^"]*"//' %t.O0 | sort > %t.O0.sorted
// RUN: sed 's/"module":"[^"]*"//' %t.O2 | sort > %t.O2.sorted
// RUN: cmp %t.O0.sorted %t.O2.sorted
// RUN: %check < %t.O2
// CHECK: "id":"[[FIRST:[0-9a-f]+]]"
// CHECK-NOT: "id":"[[FIRST]]"
// CHECK: "id":"
// CHECK-NOT: "id"
#include <stdlib.h>
static void *xmalloc(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
#define BOTH(p, q) (p = xmalloc(1), q = xmalloc(2))
extern void *volatile a, *volatile b;
void user(void) {
    BOTH(a, b);
}
