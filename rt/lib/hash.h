/* Hashes of numbers for tables in memory: of 64 bits, all of which are good.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_HASH_H
#define ALLOCSITE_HASH_H

#include <stdint.h>

/* The two halves of the product, folded (wyhash's step): two multiplications' worth of mixing in one. */
static inline uint64_t hash_more(uint64_t hash, uint64_t value) {
    unsigned __int128 product =
        (unsigned __int128)(hash ^ 0x9E3779B97F4A7C15u) * (value ^ 0xE7037ED1A0B428DBu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
