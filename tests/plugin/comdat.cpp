// The descriptors of an inline function are in its comdat; all others are linked to their code (!associated).
// RUN: %irxx -O0 %s | %check
// RUN: %irxx -O2 %s | %check
// CHECK-DAG: @__allocsite_sites._Z5plainv = {{.*}}section "allocsite_sites", align 32, !associated
// CHECK-DAG: @__allocsite_sites._Z6sharedv = {{.*}}section "allocsite_sites", comdat($_Z6sharedv), align 32, !associated
__attribute__((noinline)) inline int *shared() {
    return new int[10];
}
int *plain() {
    return new int[*shared()];
}
