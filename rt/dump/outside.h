/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much is taken from outside. What a file or a process says that it has can be any number; what is really
 * there has cost it disk or memory of its own. So the memory and the time that reading takes are bounded by
 * that, and nobody has to wait for numbers alone. */
#ifndef ALLOCSITE_OUTSIDE_H
#define ALLOCSITE_OUTSIDE_H

#include <stdint.h>

/* In bytes: what takes no time that anybody would notice. */
#define OUTSIDE_ALWAYS (UINT64_C(64) << 20)

/* In bytes, of a process that has so many. Each thread has counters for all sites up to the last that it
 * came by, of which only those pages are there that it counted in: a program of 5,000 sites and 1,000 threads
 * that did nothing else had 15 times less memory than counters. */
static inline uint64_t outside_budget(uint64_t there) {
    const uint64_t times = 64;
    return there < (UINT64_MAX - OUTSIDE_ALWAYS) / times ? OUTSIDE_ALWAYS + times * there : UINT64_MAX;
}

#endif
