// -Rpass=^$ keeps lines but no linkage names. Names are still complete, also those of inlined functions.
// RUN: %clangxx -g0 -Rpass=^$ -O2 -c %s -o %t.o && %sites %t.o --format=json | %check
// RUN: %clangxx -O2 -c %s -o %t.g.o && %sites %t.g.o --format=json | %check
// CHECK: "id":"{{[0-9a-f]+}}"
// CHECK-SAME: "function":"int* app::make<int>(int)"
// CHECK-SAME: "inlined":[{"function":"app::ints(int)"
namespace app {
template <class T> inline T *make(int n) {
    return new T[n];
}
int *ints(int n) {
    return make<int>(n);
}
} // namespace app
