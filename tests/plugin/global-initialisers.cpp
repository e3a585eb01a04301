// Allocations of global initialisers are sites with the line of the variable.
// RUN: %clangxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o --format=json | %check
// RUN: %clangxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o --format=json | %check
// CHECK: "line":[[@LINE+3]],"column":12,"callee":"operator new"
// CHECK: "line":[[@LINE+3]],"column":13,"callee":"operator new[]"
// CHECK-NOT: "callee"
int *one = new int(1);
int *many = new int[100];
