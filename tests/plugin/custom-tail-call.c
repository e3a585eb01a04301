// A block that a custom allocator returns through a musttail call is also reported.
// RUN: %ir -O1 %s | %check
// CHECK-LABEL: define {{.*}}@arena_alloc(
// CHECK: [[BLOCK:%.*]] = {{.*}}call {{.*}}@more{{.*}}(
// CHECK: call void @__liballocsite_v1_allocsite_custom_alloc({{.*}} [[BLOCK]],
void *more(void *arena, unsigned long n);

__attribute__((annotate("allocsite:alloc size=2"))) void *arena_alloc(void *arena, unsigned long n) {
    __attribute__((musttail)) return more(arena, n);
}
