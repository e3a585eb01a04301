/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One site for each way to select it.
#include <cstdio>
#include <cstdlib>

static void *volatile sink;

struct Chosen {
    int numbers[10];
};

namespace shop {
__attribute__((noinline)) void sell(int) {
    sink = malloc(10); // function
}
inline __attribute__((always_inline)) void hidden(std::size_t size) {
    sink = calloc(1, size); // inlined
}
__attribute__((noinline)) void buy() {
    hidden(20);
}
} // namespace shop

int main() {
    shop::sell(1);
    shop::buy();
    sink = malloc(30); // line
    sink = new Chosen;
    std::puts("done");
    return 3;
}
