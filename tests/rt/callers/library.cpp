/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Out-of-line allocations of the C++ library, and exceptions thrown by operator new itself.
#include <cstdio>
#include <new>
#include <sstream>
#include <string>

static void *volatile sink;
static volatile size_t huge = (size_t)1 << 60;

int main() {
    std::ostringstream stream;
    for (int i = 0; i < 1000; i++)
        stream << i;
    std::string text = stream.str();
    text.reserve(100000);
    for (int i = 0; i < 5; i++)
        try {
            sink = operator new(huge);
        } catch (const std::bad_alloc &) {
        }
    std::puts(text.size() == 2890 ? "done" : "wrong");
    return 3;
}
