/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls of the wrappers of arena.cpp.
#include "arena.h"

#include <cstdio>
#include <cstdlib>
#include <new>

static void *volatile sink;

static void methods(shapes::Arena &arena) {
    sink = arena.allocate(30);                  // @ 1 30 0 0 0
    sink = arena.units(31);                     // @ 1 31 0 0 0
    sink = shapes::Arena::text("thirty");       // @ 1 7 0 0 0
    sink = arena.get(32);                       // @ 1 32 0 0 0
    sink = shapes::resource()->allocate(33, 8); // @ 1 33 0 0 0
    arena.deallocate(std::malloc(103));         // @ 1 103 0 0 0
}

static void factories() {
    sink = shapes::make(0);         // @ 1 8 0 0 0
    delete shapes::make(1);         // @ 2 116 0 0 0
    sink = shapes::counted();       // @ 1 4 0 0 0
    delete new shapes::Counted{2};  // @ 1 4 0 0 0
    sink = shapes::make_buffer(38); // @ 1 38 0 0 0
    sink = shapes::make_unique_buffer(39).release();
    sink = &shapes::describe(41)[0];
    sink = shapes::listed(5).data();
}

static void buffers() {
    shapes::Text text("fifty"); // @ 1 6 0 0 0
    text += " and more";
    text.clear();
    shapes::Text copy(text); // @ 1 15 0 0 0
}

struct Guard {
    ~Guard() {
        sink = nullptr;
    }
};

// A function that throws is no wrapper. The calls on both sides have landing pads.
__attribute__((noinline)) static void thrown(std::size_t n) {
    {
        Guard guard;
        sink = shapes::look(n - 1);
    }
    sink = shapes::look(n);
    {
        Guard guard;
        sink = shapes::look(n - 1);
    }
}

__attribute__((visibility("default"))) int main() {
    methods(shapes::arena());
    factories();
    buffers();
    try {
        thrown(3);
    } catch (const std::bad_alloc &) {
        sink = nullptr;
    }
    std::puts("done"); // @ any
    return 3;
}
