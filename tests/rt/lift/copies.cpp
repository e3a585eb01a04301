/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "copies.h"

#include <cstdio>

static void *volatile sink;

struct Numbers : Array<int> {
    using Array::Array;
};

int main() {
    sink = grab(10); // @ 1 10 0 0 0
    for (std::size_t i = 0; i < 3; i++)
        sink = grab(20);              // @ 3 60 0 0 0
    sink = Numbers(5).items;          // @ 1 20 0 0 0
    sink = Array<int>(6).copy(2);     // @ 2 48 0 0 0
    sink = Pool<int>::take(7);        // @ any
    sink = Pool<int>::give<short>(8); // @ any
    sink = remember(30);              // @ any
    sink = others(40);                // @ any
    sink = pointer()(50);             // @ any
    try {
        sink = Array<char>::checked(99);  // @ 1 99 0 0 0
        sink = Array<char>::checked(101); // @ any
    } catch (const std::length_error &) { // @ any
    }
    sink = others(60); // @ any
    std::puts("done"); // @ any
    return 3;
}
