// What C++ returns in memory belongs to the caller where a parameter sizes what makes it. Not what always makes the same, a copy of
// a member, what is added later, or what allocates nothing. A file that only sees the declaration calls a twin, or jumps on.
// RUN: %clangxx -std=c++17 -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %clangxx -std=c++17 -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// RUN: %typedxx -std=c++17 -O2 -S -DUSER %s -o - | %check --check-prefix=JUMP
// REQUIRES: types
// CHECK: # found by their bodies
// CHECK-NEXT: fun:_Z5againm=wrapper size=2
// CHECK-NEXT: fun:_Z5arraym=wrapper size=2
// CHECK-NEXT: fun:_Z5givenm=wrapper size=2
// CHECK-NEXT: fun:_Z5zerosi=wrapper size=2
// CHECK-NEXT: fun:_Z7lettersB5cxx11m=wrapper size=2
// CHECK-NOT: {{.}}
// JUMP: _Z5otherm.sited.vpl:
// JUMP: jmp _Z5otherm
#include <memory>
#include <string>
#include <tuple>
#include <vector>
#ifdef USER
std::unique_ptr<char[]> other(std::size_t n);
std::size_t letter() {
    return other(1)[0];
}
#else
std::unique_ptr<char[]> array(std::size_t n) {
    return std::make_unique<char[]>(n);
}
std::unique_ptr<char[]> given(std::size_t n) {
    return std::unique_ptr<char[]>(new char[n]);
}
std::string letters(std::size_t n) {
    return std::string(n, 'x');
}
std::vector<int> zeros(int n) {
    std::vector<int> list(n);
    for (int &number : list)
        number = n;
    return list;
}
std::unique_ptr<char[]> again(std::size_t n) {
    return array(n);
}
struct thing { int n; };
std::unique_ptr<thing> fixed(int n) {
    return std::make_unique<thing>(thing{n});
}
std::vector<int> added(int n) {
    std::vector<int> list;
    for (int i = 0; i < n; i++)
        list.push_back(i);
    return list;
}
struct named {
    std::string name;
};
std::string name(const named &thing) {
    return thing.name;
}
struct wide {
    long numbers[9];
    explicit wide(long n) : numbers{n} {}
};
wide numbers(long n) {
    return wide(n);
}
#endif
