// Placement new gives the type of the block.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %typedxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
#include <cstdlib>
#include <new>
struct Node {
    long x[3];
    Node();
};
void makes(Node **to, int n) {
    // CHECK-DAG: "line":[[@LINE+1]],"column":18,"callee":"malloc","type":"Node"
    auto place = malloc(n);
    to[0] = new (place) Node;
}
