/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Wrappers of C++: templates, members, operators, and such as throw.
#include "thrown.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

static void *volatile sink;
static volatile std::size_t huge = (std::size_t)1 << 60;

template <class T> static T *make_array(std::size_t n) {
    return new T[n];
}

struct Pool {
    std::size_t unit;
    void *get(int n) const {
        return ::operator new(unit * n);
    }
    static void put(void *p) {
        ::operator delete(p);
    }
};

struct Thing {
    int number;
    static void *operator new(std::size_t n) {
        void *p = std::calloc(1, n);
        if (!p)
            throw std::bad_alloc();
        return p;
    }
    static void operator delete(void *p) {
        std::free(p);
    }
};

static void exceptions() {
    sink = thrown(5); // @ 1 5 0 0 0
    try {
        sink = make_array<char>(huge); // @ 0 0 0 0 1
    } catch (const std::bad_alloc &) {
        sink = make_array<char>(4); // @ 1 4 0 0 0
    }
    try {
        sink = thrown(12); // @ any
    } catch (int) {
    }
    sink = after(6);
}

int main() {
    Pool pool{10};
    std::vector<char> vector;
    sink = make_array<int>(3);    // @ 1 12 0 0 0
    sink = make_array<double>(3); // @ 1 24 0 0 0
    sink = pool.get(2);           // @ 1 20 0 0 0
    Pool::put(sink);
    sink = new Thing; // @ 1 4 0 0 0
    delete (Thing *)sink;
    vector.reserve(17); // @ any
    sink = vector.data();
    exceptions();
    std::puts("done");
    return 3;
}
