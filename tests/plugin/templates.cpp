// Every instantiation of a template is a function with its own site on the same line.
// RUN: %clangxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %clangxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
// CHECK-COUNT-2: "line":[[@LINE+4]],"column":12,"callee":"operator new[]"
// CHECK-NOT: "callee"
template <class T> __attribute__((noinline)) T *make(int n) {
    // Both instantiations are on this line:
    return new T[n];
}
int *ints(int n) {
    return make<int>(n);
}
double *doubles(int n) {
    return make<double>(n);
}
