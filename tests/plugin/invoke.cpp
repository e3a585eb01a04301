// An allocation that may throw into a handler stays an invoke with its destinations.
// RUN: %irxx -O0 %s | %check
// RUN: %irxx -O2 %s | %check
// CHECK: define {{.*}}@_Z3tryv(
// CHECK: invoke {{.*}}@__liballocsite_v1__Znwm(i64 {{.*}}4000, {{.*}}@__allocsite_sites._Z3tryv
// CHECK-NEXT: to label %{{.*}} unwind label %
void use(void *);
void *tryv();
struct Big {
    char bytes[4000];
};
void *
try_() asm("_Z3tryv");
void *try_() {
    try {
        Big *big = new Big;
        use(big);
        return big;
    } catch (...) {
        return nullptr;
    }
}
