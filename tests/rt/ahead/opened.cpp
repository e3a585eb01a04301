/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A library without sites, which allocates from its first constructor on.
#include <cstdlib>

static void *volatile sink;

struct early {
    early() {
        sink = malloc(5);
    }
    ~early() {
        free(sink);
    }
};
static early first;

extern "C" void work() {
    for (int i = 0; i < 10; i++) {
        int *volatile p = new int;
        delete p;
    }
}
