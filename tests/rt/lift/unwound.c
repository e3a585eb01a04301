/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Frames of C, which have no landing pads.
#include "unwound.h"

#include <stdlib.h>

static void *volatile sink;

void through_c(size_t n) {
    sink = throwing(n); // @ any
}

void end(size_t n) {
    sink = ending(n); // @ any
}

void *wrapper(size_t n) {
    return malloc(n);
}
