// Of functions of a library that call each other each one allocates what the other one does.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
// RUN: %typedxx -O0 -g0 -Rpass=^$ -c %s -o %t.o && %sites %t.o --format=json | %check
# 6 "/usr/include/mutual.h" 1 3
struct A {
    int n[3];
};
struct B {
    long n[5];
};
struct C {
    long n[7];
};
inline void *make_b(int n);
inline void *make_c(int n);
inline void *make_a(int n) {
    return n ? make_b(n - 1) : new A;
}
inline void *make_b(int n) {
    return n ? make_c(n - 1) : new B;
}
inline void *make_c(int n) {
    return n ? make_a(n - 1) : new C;
}
# 27 "types-recursive.cpp" 2
// CHECK-DAG: "line":29,"column":12,"callee":"make_a","type":"A or B or C"
void *a(int n) {
    return make_a(n);
}
// CHECK-DAG: "line":33,"column":12,"callee":"make_b","type":"A or B or C"
void *b(int n) {
    return make_b(n);
}
// CHECK-DAG: "line":37,"column":12,"callee":"make_c","type":"A or B or C"
void *c(int n) {
    return make_c(n);
}
