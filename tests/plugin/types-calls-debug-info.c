// Without the AST, the type of a call comes from debug info: of the place that the result is stored to, if debug info
// also says that the callee returns untyped memory. At -O0 clang describes no callees of other files.
// RUN: %clang -O2 -c %s -o %t.O2.o && %calls %t.O2.o | %check --implicit-check-not=types-calls
#include <stdlib.h>
struct foo {
    struct foo *next;
};
void *xmalloc(size_t size);
struct foo *typed(size_t size);
struct foo *list;
void *kept;

// CHECK: types-calls-debug-info.c:[[@LINE+2]]:12 {{ *}}handed_on {{ *}}None {{ *}}hands on{{$}}
void *handed_on(size_t size) {
    return xmalloc(size);
}
// CHECK-NEXT: types-calls-debug-info.c:[[@LINE+2]]:12 {{ *}}wrapper {{ *}}None {{ *}}hands on{{$}}
void *wrapper(size_t size) {
    return malloc(size);
}
void uses(size_t size) {
    // CHECK-NEXT: types-calls-debug-info.c:[[@LINE+1]]:12 {{ *}}uses {{ *}}struct foo{{$}}
    list = xmalloc(size);
    list = typed(size);
    kept = xmalloc(size);
}
