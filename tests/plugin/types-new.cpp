// new names its type in every expression; the type of an array is that of its elements.
// REQUIRES: types
// RUN: %typedxx -O0 -std=c++17 -c %s -o %t.o && %sites %t.o --format=json | %check
namespace ns {
// CHECK-DAG: "line":[[@LINE+2]],"column":22,"callee":"operator new[]","type":"short"
struct Member {
    short *numbers = new short[3];
};
enum class Color { red };
} // namespace ns
// CHECK-DAG: "line":[[@LINE+1]],"column":27,"callee":"operator new","type":"ns::Member"
ns::Member *const first = new ns::Member;
void filled(float *x = new float(1));
struct Shape {
    int *owned;
    // CHECK-DAG: "line":[[@LINE+1]],"column":21,"callee":"operator new","type":"int"
    Shape() : owned(new int) {}
    // CHECK-DAG: "line":[[@LINE+1]],"column":39,"callee":"operator new","type":"Shape"
    ~Shape() { owned = (int *)first; (new Shape)->owned = nullptr; }
};
template <class T> void keep(T &&);
void makes(int n) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":10,"callee":"operator new","type":"ns::Color"
    keep(new ns::Color);
    // CHECK-DAG: "line":[[@LINE+1]],"column":10,"callee":"operator new[]","type":"long"
    keep(new long[n][4]);
    // CHECK-DAG: "line":[[@LINE+1]],"column":10,"callee":"operator new[]","type":"char *"
    keep(new char *[n]);
    // CHECK-DAG: "line":[[@LINE+1]],"column":10,"callee":"operator new","type":"Shape"
    keep(new Shape);
    // CHECK-DAG: "line":[[@LINE+1]],"column":24,"callee":"operator new","type":"Shape"
    keep([n] { return (new Shape)->owned + n; }());
    // CHECK-DAG: "line":[[@LINE+1]],"column":5,"callee":"operator new","type":"float"
    filled();
    keep(Shape());
    // CHECK-DAG: "line":[[@LINE+1]],"column":32,"callee":"operator new","type":"double"
    keep(static_cast<double *>(::operator new(8)));
    // CHECK-DAG: "line":[[@LINE+1]],"column":10,"callee":"operator new","type":"double"
    keep(__builtin_operator_new(n * sizeof(double)));
    // CHECK-DAG: "line":[[@LINE+1]],"column":10,"callee":"operator new","type":"bytes"
    keep(::operator new(n));
}
