// In C++ the type of untyped memory comes from static_cast, from an object that is constructed in it, and from a class's
// own operator new. Each instance of a template has its own type.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.O0.o && %calls %t.O0.o | %check --implicit-check-not=types-calls
// RUN: %typedxx -O2 -c %s -o %t.O2.o && %calls %t.O2.o | %check --implicit-check-not=types-calls
#include <new>
#include <stddef.h>
struct Pool {
    void *get(size_t size);
};
void *xmalloc(size_t size);
struct Foo {
    Foo();
    int x;
};
struct Own {
    Own();
    void *operator new(size_t size);
    int x;
};
extern Pool pool;
extern void *kept;

void uses(size_t size) {
    // CHECK: types-calls.cpp:[[@LINE+1]]:31 {{ *}}uses(unsigned long) {{ *}}Foo{{$}}
    kept = static_cast<Foo *>(xmalloc(size));
    // CHECK-NEXT: types-calls.cpp:[[@LINE+1]]:22 {{ *}}uses(unsigned long) {{ *}}Foo{{$}}
    kept = new (pool.get(sizeof(Foo))) Foo;
    // CHECK-NEXT: types-calls.cpp:[[@LINE+1]]:12 {{ *}}uses(unsigned long) {{ *}}Own{{$}}
    kept = new Own;
    kept = xmalloc(size);
}
template <class T> T *make() {
    return static_cast<T *>(xmalloc(sizeof(T)));
}
void instances() {
    kept = make<long>();
    kept = make<Foo>();
}
// CHECK-NEXT: types-calls.cpp:[[@LINE-6]]:29 {{ *}}long* make<long>() {{ *}}long{{$}}
// CHECK-NEXT: types-calls.cpp:[[@LINE-7]]:29 {{ *}}Foo* make<Foo>() {{ *}}Foo{{$}}
