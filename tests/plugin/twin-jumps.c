// A stand-in for what could be a wrapper only jumps, also where parameters are on the stack: a frame of its own would stand in
// stacks, keep no context and have no entry for unwinding.
// RUN: %clang -O2 -S %s -o - | %check
// CHECK: {{^}}make.sited.pplllllll:
// CHECK-NOT: call
// CHECK: jmp{{.*}}*%
// CHECK-NOT: call
// CHECK: .size{{.*}}make.sited.pplllllll
void *make(void **out, long a, long b, long c, long d, long e, long f, long g);
void *user(void **out, long n) {
    return make(out, n, 2, 3, 4, 5, 6, 7);
}
