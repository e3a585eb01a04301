// What makes a block grow and returns some part of it allocates what the block consists of.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.O0.o && %sites %t.O0.o | %check
// RUN: %typedxx -O2 -c %s -o %t.O2.o && %sites %t.O2.o | %check
#include <cstdlib>
template <class T> struct Vector {
    T *items = nullptr;
    unsigned long used = 0, room = 0;
    T &push_back(const T &item) {
        if (room <= used)
            grow(used * 2);
        items[used] = item;
        return items[used++];
    }
    void grow(unsigned long n) {
        n = n > 0 ? n : 4;
        items = (T *)realloc(items, n * sizeof(T));
        room = n;
    }
};
Vector<long> numbers;
void add(long number) {
    // CHECK-DAG: types-held.cpp:[[@LINE+1]]:13  Vector::push_back  add(long)  type long
    numbers.push_back(number);
}
