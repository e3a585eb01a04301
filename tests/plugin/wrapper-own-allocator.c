// A program that has a function of the C library itself: what that calls is how it works, and the callers are the sites, where it
// is inlined as well.
// RUN: %clang -O2 -c %s -o %t.o && %sites %t.o | %check
// CHECK-NOT: :10:
// CHECK: wrapper-own-allocator.c:19:{{[0-9]+}}  more_of  user
// CHECK-NOT: :10:
#include <stdint.h>
#include <stdlib.h>
void *reallocarray(void *block, size_t n, size_t size) {
    return n && SIZE_MAX / n < size ? NULL : realloc(block, n * size);
}
void *more_of(void *block, size_t n, size_t size) {
    block = reallocarray(block, n, size);
    if (!block)
        abort();
    return block;
}
void *user(void *block, size_t n) {
    return more_of(block, n, 8);
}
