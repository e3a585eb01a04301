/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays that grow without ever moving, in memory and in profiles: chunk k holds first << k elements, from
 * element first * (2^k - 1) on. */
#ifndef ALLOCSITE_BASE_CHUNKS_H
#define ALLOCSITE_BASE_CHUNKS_H

#include "base/bits.h"

#include <stdint.h>

static inline uint64_t chunk_size(uint64_t first, unsigned chunk) {
    return first << chunk;
}

/* Of chunk + 1: where it ends. */
static inline uint64_t chunk_start(uint64_t first, unsigned chunk) {
    return (first << chunk) - first;
}

struct chunk_place {
    unsigned chunk;
    uint64_t offset; /* in elements */
};

static inline struct chunk_place chunk_place(uint64_t first, uint64_t index) {
    unsigned chunk = (unsigned)highest_bit(index / first + 1);
    return (struct chunk_place){chunk, index - chunk_start(first, chunk)};
}

#endif
