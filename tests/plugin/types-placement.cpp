// What is made in a block tells its type; what a wrapper keeps in front of the blocks that it hands on does not.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typedxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
#include <cstdlib>
#include <new>
struct Node {
    long x[3];
    Node();
};
static void *counted(size_t n) {
    auto *size = static_cast<unsigned long *>(malloc(sizeof(unsigned long) + n));
    *size = n;
    return size + 1;
}
__attribute__((noinline)) static void *called(size_t n) {
    auto *size = static_cast<unsigned long *>(malloc(sizeof(unsigned long) + n));
    *size = n;
    return size + 1;
}
void makes(Node **to, void **raw, int n) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":18,"callee":"malloc","type":"Node"
    auto place = malloc(n);
    to[0] = new (place) Node;
    // CHECK-DAG: "line":[[@LINE+1]],"column":14,"callee":"counted","type":"bytes"
    raw[0] = counted(n);
    // CHECK-DAG: "line":[[@LINE+1]],"column":14,"callee":"called","type":"bytes"
    raw[1] = called(n);
}
