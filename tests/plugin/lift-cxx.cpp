// Templates, members and operators of a class are wrappers; their names stand without arguments.
// RUN: %clangxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %clangxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o | %check
// CHECK-DAG: :[[@LINE+26]]:{{[0-9]+}} {{ *}}util::make {{ *}}user
// CHECK-DAG: :[[@LINE+26]]:{{[0-9]+}} {{ *}}util::make {{ *}}user
// CHECK-DAG: :[[@LINE+26]]:{{[0-9]+}} {{ *}}Pool::get {{ *}}user
// CHECK-DAG: :[[@LINE+26]]:{{[0-9]+}} {{ *}}Thing::operator new {{ *}}user
#include <cstdlib>
#include <new>
namespace util {
template <class T> T *make(std::size_t n) {
    return new T[n];
}
} // namespace util
template <class T> struct PoolOf {};
struct Pool {
    std::size_t unit;
    char *get(int n) {
        return static_cast<char *>(::operator new(unit * n));
    }
};
struct Thing {
    int a;
    static void *operator new(std::size_t n) {
        return std::malloc(n);
    }
};
extern void *volatile sink;
extern "C" void user(Pool *pool) {
    sink = util::make<int>(1);
    sink = util::make<double>(2);
    sink = pool->get(3);
    sink = new Thing;
}
