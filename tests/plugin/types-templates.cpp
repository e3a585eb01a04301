// One line of a template has a type per instantiation, also if inlined and without debug info.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typedxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
// RUN: %typedxx -O2 -g0 -Rpass=^$ -c %s -o %t.g0.o && %sites %t.g0.o --format=json | %check
namespace ns {
template <class T, class U = T> struct Pair {
    T first;
    U second;
    static void fill(Pair **to) {
        // Both instantiations are on this line:
        *to = new Pair[2];
    }
};
} // namespace ns
template <class T> struct Other {
    template <class U> void fill(U **to) {
        *to = new U;
    }
};
struct Node {
    template <class T> struct Inner {
        Node *up;
    };
};
// CHECK-DAG: "function":"ns::Pair<int, int>::fill({{.*}}"type":"ns::Pair<int>"
// CHECK-DAG: "function":"ns::Pair<double, int>::fill({{.*}}"type":"ns::Pair<double, int>"
void pairs(ns::Pair<int> **ints, ns::Pair<double, int> **doubles) {
    ns::Pair<int>::fill(ints);
    ns::Pair<double, int>::fill(doubles);
}
// CHECK-DAG: "function":"void Other<int>::fill<Node::Inner<Node>{{ ?}}>({{.*}}"type":"Node::Inner<Node>"
// CHECK-DAG: "function":"void Other<char>::fill<char*>({{.*}}"type":"char *"
void others(Node::Inner<Node> **nodes, char ***texts) {
    Other<int>().fill(nodes);
    Other<char>().fill(texts);
}
