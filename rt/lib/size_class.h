/* Classes of sizes, for a histogram of what a site asks for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_SIZE_CLASS_H
#define ALLOCSITE_SIZE_CLASS_H

#include <stdint.h>

/* Class 0: size 0; class k: 2^(k-1) <= size < 2^k; the last one: all above, from 64 TiB on. */
#define SIZE_CLASSES 48

static inline unsigned size_class(uint64_t size) {
    unsigned bits = size ? 64 - (unsigned)__builtin_clzll(size) : 0;
    return bits < SIZE_CLASSES ? bits : SIZE_CLASSES - 1;
}

/* The smallest size in it. */
static inline uint64_t size_class_start(unsigned number) {
    return number ? UINT64_C(1) << (number - 1) : 0;
}

#endif
