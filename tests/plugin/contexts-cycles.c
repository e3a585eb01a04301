// A tail call that may be part of a cycle stays a tail call. It leaves no frame, so its callee reads the context
// of the caller's caller.
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-contexts %s | %check
#include <stdlib.h>
#define APART __attribute__((noinline))
extern void *kept;
extern int seen(int);

// Two functions call each other; a third one starts the cycle.
// CHECK-LABEL: define {{.*}} @even(
// CHECK: %[[E:.*]] = load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: store volatile i64 %[[E]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: {{^ *}}%{{.*}} = tail call {{.*}}@odd(
// CHECK-LABEL: define {{.*}} @odd(
// CHECK: %[[O:.*]] = load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: store volatile i64 %[[O]], {{.*}}@__liballocsite_v1_context
// CHECK-NEXT: {{^ *}}%{{.*}} = tail call {{.*}}@even(
// CHECK-LABEL: define {{.*}} @begin(
// CHECK: notail call {{.*}}@even(
int odd(int n, long m);
APART int even(int n, long m) {
    kept = malloc(1);
    return seen(n) ? odd(n - 1, m) : 7;
}
APART int odd(int n, long m) {
    kept = malloc(2);
    return seen(n) ? even(n - 1, m) : 8;
}
int begin(void) {
    return even(3, 4);
}

// A function called through a pointer, or in another file, may call back every visible function of the same
// shape, ...
// CHECK-LABEL: define {{.*}} @forwards(
// CHECK: %[[F:.*]] = load volatile i64, {{.*}}@__liballocsite_v1_context
// CHECK: store volatile i64 %[[F]]
// CHECK-NEXT: {{^ *}}tail call void
void (*volatile next)(void *, int, int);
void forwards(void *p, int m, int n) {
    kept = malloc(3);
    next(p, m, n);
}

// ... but no others.
// CHECK-LABEL: define {{.*}} @starts(
// CHECK: notail call void
void starts(int n) {
    next(kept, n, 2);
}
APART static void hidden(void *p, int m, int n) {
    kept = malloc(4);
    next(p, m, n);
}
// CHECK-LABEL: define {{.*}} @prints(
// CHECK: notail call {{.*}}@printf_like(
int printf_like(const char *, int);
int prints(int n) {
    hidden(kept, n, n);
    __asm__ volatile("");
    return printf_like("", n);
}
// A function that only this file sees has no other callers.
// CHECK-LABEL: define {{.*}} @hidden(
// CHECK: notail call void
// CHECK: notail call {{.*}}@__liballocsite_v1_malloc_by_context(
void *ends(size_t n) {
    return malloc(n);
}
