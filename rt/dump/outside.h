/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much is taken from outside. What a file or a process says that it has can be any number; what is really
 * there has cost it disk or memory of its own. So the memory and the time that reading takes are bounded by
 * that, and nobody has to wait for numbers alone. */
#ifndef ALLOCSITE_OUTSIDE_H
#define ALLOCSITE_OUTSIDE_H

#include <stdint.h>

/* In bytes, where so many are there. Of a slab for each of many threads only the pages are there that were
 * counted in: of programs that exist up to a twelfth; and what is smaller than the first summand takes no
 * time that anybody would notice. */
static inline uint64_t outside_budget(uint64_t there) {
    const uint64_t always = UINT64_C(64) << 20, times = 16;
    return there < (UINT64_MAX - always) / times ? always + times * there : UINT64_MAX;
}

#endif
