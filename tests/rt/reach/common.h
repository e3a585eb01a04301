/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A note "@ lost N B" says that N blocks with B bytes in total of that line are leaked at exit.
#ifndef REACH_COMMON_H
#define REACH_COMMON_H

#include <string.h>

#define NOINLINE __attribute__((noinline))

// Prevents the optimizer from removing the allocation, and keeps no pointer.
static inline void lose(void *p) {
    __asm__ volatile("" : : "r"(p) : "memory");
}

// Overwrites what finished calls left on the stack.
NOINLINE static void clear_stack(void) {
    char below[65536];
    memset(below, 0, sizeof below);
    lose(below);
}

#endif
