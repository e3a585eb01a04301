// C++: constructors that store a block of their own pass through (vtable pointers do not count), and so
// do functions that return one. Blocks that a library's object allocates for itself belong to the
// library.
// RUN: %clangxx -O2 -c %s -o %t.o
// RUN: %functions %t.o | %check --implicit-check-not=_through
#include <deque>
#include <memory>
#include <vector>

struct Thing {
    virtual ~Thing();
    static Thing *create(int n);
    int *numbers;
    Thing(int n);
};

// Both symbols of a constructor.
// CHECK-DAG: passes_through  _ZN5ThingC2Ei  pass-through.cpp{{$}}
// CHECK-DAG: passes_through  _ZN5ThingC1Ei  pass-through.cpp{{$}}
Thing::Thing(int n) : numbers(new int[n]) {}

// CHECK-DAG: passes_through  _ZN5Thing6createEi  pass-through.cpp{{$}}
Thing *Thing::create(int n) {
    return new Thing(n);
}

// Also a part of an object that is returned in memory.
struct Pair {
    char *first, *second, *third;
};
// CHECK-DAG: passes_through  _Z4pairv  pass-through.cpp{{$}}
Pair pair() {
    Pair pair = {new char, nullptr, nullptr};
    pair.second = new char[10];
    return pair;
}

std::vector<int> all;
void push(int x) {
    all.push_back(x);
}
struct Queue {
    std::deque<int> d;
    Queue() {}
};
Queue *queue() {
    static Queue *one = new Queue;
    return one;
}
std::unique_ptr<Thing> owned(int n) {
    return std::make_unique<Thing>(n);
}
