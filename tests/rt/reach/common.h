/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A note "@ lost N B" says that N blocks of B bytes in all of that line are lost at exit.
#ifndef REACH_COMMON_H
#define REACH_COMMON_H

#include <string.h>

#define NOINLINE __attribute__((noinline))

// Keeps the allocation, and nothing of it.
static inline void lose(void *p) {
    __asm__ volatile("" : : "r"(p) : "memory");
}

// Of calls that are over nothing is left on the stack.
NOINLINE static void clear_stack(void) {
    char below[65536];
    memset(below, 0, sizeof below);
    lose(below);
}

#endif
