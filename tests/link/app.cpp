/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A program with known allocations.
#include <iostream>

int *volatile kept;

struct Before {
    Before() {
        kept = new int[5]; // SITE 1 20
        delete[] kept;
    }
} before;

int main() {
    for (int i = 0; i < 3; i++) {
        kept = new int(i); // SITE 3 12
        delete kept;
    }
    try {
        throw 1; // LIBRARY any
    } catch (int) {
        kept = new (std::nothrow) int; // SITE 1 4
        delete kept;
    }
    std::cout << "done" << std::endl; // LIBRARY 1 4096
}
