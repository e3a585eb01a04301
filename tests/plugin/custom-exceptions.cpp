// An exception that leaves a custom allocator is reported as a failure.
// RUN: %irxx -O1 %s | %check
// CHECK-LABEL: define {{.*}}take
// CHECK: call i64 @__liballocsite_v1_custom_enter()
// CHECK: landingpad
// CHECK: call void @__liballocsite_v1_allocsite_custom_alloc({{(i8\*|ptr)}} null,
// CHECK: resume
void *more(unsigned long);

__attribute__((annotate("allocsite:alloc size=1"))) void *take(unsigned long n) {
    return static_cast<char *>(more(n)) + 16;
}
