/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A program's own operator new, which adds a header to the block. Its allocations are attributed to the new expression
// (unless the operator is inlined there), and it remains the operator that is called, also through the library's other
// forms.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

static int calls;

__attribute__((noinline)) void *operator new(size_t n) {
    calls++;
    char *p = static_cast<char *>(malloc(n + 16));
    if (!p)
        throw std::bad_alloc();
    return p + 16;
}

void operator delete(void *p) noexcept {
    if (p)
        free(static_cast<char *>(p) - 16);
}

void operator delete(void *p, size_t) noexcept {
    operator delete(p);
}

static void *volatile sink;

__attribute__((noinline)) static void works() {
    int *volatile one = new int; // @ 1 20 0 0 0
    delete one;
    char *volatile array = new char[10]; // @ 1 26 0 0 0
    delete[] array;
    int *volatile nothing = new (std::nothrow) int; // @ 1 20 0 0 0
    delete nothing;
}

int main() {
    works();
    std::printf("%d\n", calls);
    return 3;
}
