/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Frames of C++: without landing pads, with one that is another call's, and with the call's own.
#include "unwound.h"

static void *volatile sink;

struct Guard {
    ~Guard() {
        sink = nullptr;
    }
};

void through_cxx(size_t n) {
    sink = throwing(n); // @ any
}

void through_pads(size_t n) {
    {
        Guard guard;
        sink = wrapper(9); // @ 2 18 0 0 0
    }
    sink = throwing(n); // @ any
}

void through_cleanup(size_t n) {
    Guard guard;
    sink = throwing(n); // @ any
}

void end_cleanup(size_t n) {
    Guard guard;
    sink = ending(n); // @ any
}
