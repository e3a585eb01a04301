// With optimization a wrapper has its site as a parameter: the calls in its unit pass it, and under its own name it takes for
// others what they have left. One that others cannot call keeps its name.
// RUN: %ir -O2 %s | %check
// RUN: %ir -O2 -fplugin=%plugin -mllvm -allocsite-twins=0 %s | %check --check-prefix=LOCAL
// RUN: %clang -O2 -c %s -o %t.o && %sites %t.o | %check --check-prefix=SITES
// CHECK: define internal {{.*}}@outside.sited({{.*}}, {{.*}} [[SITE:%.*]])
// CHECK-NOT: select
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@__liballocsite_v1_malloc({{.*}}, {{.*}} [[SITE]])
// CHECK: define {{.*}}@outside(
// CHECK: [[LEFT:%.*]] = load volatile {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: store volatile {{.*}} null, {{.*}}@__liballocsite_v1_lifted
// CHECK: icmp eq {{.*}} [[LEFT]], null
// CHECK: [[ADDRESS:%.*]] = call {{.*}}@llvm.returnaddress(i32 0)
// CHECK-NEXT: [[CALLER:%.*]] = call {{.*}}@__liballocsite_v1_caller({{.*}} [[ADDRESS]])
// CHECK: [[OTHER:%.*]] = select {{.*}} [[CALLER]], {{.*}}@__allocsite_sites.outside
// CHECK: [[SITE:%.*]] = phi {{.*}}[ [[LEFT]], {{.*}}[ [[OTHER]],
// CHECK-NEXT: tail call {{.*}}@outside.sited({{.*}}, {{.*}} [[SITE]])
// CHECK-NEXT: ret
// CHECK: define internal {{.*}}@both.sited({{.*}}, {{.*}} [[SITE:%.*]])
// CHECK: select {{.*}} [[SITE]], {{.*}}@__allocsite_sites.both
// CHECK: select {{.*}} [[SITE]], {{.*}}@__allocsite_sites.both
// CHECK: define {{.*}}@both(
// CHECK-NOT: select
// CHECK: ret
// CHECK: define {{.*}}@variadic(
// CHECK: load volatile {{.*}}@__liballocsite_v1_lifted
// CHECK: define {{.*}}@user(
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@inside({{.*}}@__allocsite_sites.user
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@both.sited({{.*}}, {{.*}}@__allocsite_sites.user
// CHECK: store volatile {{.*}}@__liballocsite_v1_lifted
// CHECK-NEXT: call {{.*}}@variadic(
// CHECK: define internal {{.*}}@inside({{.*}} [[SITE:%.*]])
// CHECK-NOT: @__liballocsite_v1_lifted
// CHECK: call {{.*}}@outside.sited({{.*}}, {{.*}} [[SITE]])
// LOCAL: define internal {{.*}}@outside.sited({{.*}}, {{.*}} [[SITE:%.*]])
// LOCAL: define {{.*}}@outside(
// LOCAL: call {{.*}}@outside.sited({{.*}}, {{.*}}@__allocsite_sites.user
// SITES-DAG: outside{{ .*}}user
// SITES-DAG: inside{{ .*}}user
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noinline))
APART void *outside(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}
APART static void *inside(size_t n) {
    return outside(n + 8);
}
APART void *both(void *p, size_t n) {
    return p ? realloc(p, n) : malloc(n);
}
APART char *variadic(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    return text;
}
extern void *volatile sink;
void user(void *p) {
    sink = outside(1);
    sink = inside(2);
    sink = both(p, 3);
    sink = variadic("4");
}
