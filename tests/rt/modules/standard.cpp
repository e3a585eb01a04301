/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Effects of the C++ library that a program notices, wherever the library is: new handlers, bad_alloc (an exception is
// also a block), containers.
#include <cstdio>
#include <new>
#include <string>

static void *volatile sink;
static volatile size_t huge = (size_t)1 << 60;
static int handled;
static void *(*volatile escaped)(std::size_t) = operator new;

static void handler() {
    handled++;
    std::set_new_handler(nullptr);
}

int main() {
    sink = new int[10]; // @ 1 40 0 0 0
    operator delete[](sink);
    try {
        sink = new char[huge]; // @ 1 136 0 0 1
    } catch (const std::bad_alloc &) {
        std::set_new_handler(handler);
    }
    try {
        sink = new char[huge]; // @ 1 136 0 0 2
    } catch (const std::bad_alloc &) {
        handled += 10;
    }
    struct alignas(64) Wide {
        char bytes[64];
    };
    sink = new Wide;    // @ 1 64 0 0 0
    sink = escaped(70); // @ any
    for (int i = 0; i < 10000; i++) {
        sink = new int; // @ 10000 40000 0 0 0
        operator delete(sink);
    }
    std::string text(100, 'x');                                        // @ 1 101 0 0 0
    std::puts(handled == 11 && text.size() == 100 ? "done" : "wrong"); // @ any
    return 3;
}
