// Without the AST, clang's !heapallocsite metadata gives the type of `new`.
// RUN: %clangxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %clangxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
namespace ns {
template <class T> struct Box {
    T x;
};
} // namespace ns
void *kept[10];
void makes(int n) {
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"ns::Box<int>"
    kept[0] = new ns::Box<int>;
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"double"
    kept[1] = new double[n];
}
