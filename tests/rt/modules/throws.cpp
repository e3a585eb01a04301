/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An allocation fails in a program without any other throw.
#include <cstdint>
#include <cstdio>
#include <new>

int main() {
    volatile size_t huge = SIZE_MAX / 4;
    try {
        std::printf("%p\n", static_cast<void *>(new char[huge])); // @ 1 136 0 0 1
    } catch (const std::bad_alloc &) {
        std::puts("caught"); // @ any
    }
}
