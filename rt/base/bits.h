/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bits of words. */
#ifndef ALLOCSITE_BASE_BITS_H
#define ALLOCSITE_BASE_BITS_H

#include <stdint.h>

/* The number of the highest one; of 0 there is none. Compilers extend what their own function returns, which
 * the instruction has done. */
static inline uint64_t highest_bit(uint64_t word) {
#if defined __x86_64__
    uint64_t number;
    __asm__("bsrq %1, %0" : "=r"(number) : "r"(word) : "cc");
    return number;
#else
    return 63 ^ (unsigned)__builtin_clzll(word);
#endif
}

#endif
