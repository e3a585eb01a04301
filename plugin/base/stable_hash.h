/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stable 64-bit hash of a site: FNV-1a (hash.h) over a sequence of fields, closed by the 64-bit finalizer
 * of MurmurHash3 (Appleby), which spreads the last bytes over all bits. Every field is delimited, so ("ab",
 * "c") and
 * ("a", "bc") differ. The same on every host. */
#ifndef ALLOCSITE_BASE_STABLE_HASH_H
#define ALLOCSITE_BASE_STABLE_HASH_H

#include "base/hash.h"

static inline uint64_t stable_hash_begin(void) {
    return FNV_1A_BASIS;
}

static inline uint64_t stable_hash_number(uint64_t state, uint64_t number) {
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(number >> 8 * i);
    return fnv_1a_more(state, bytes, sizeof bytes);
}

static inline uint64_t stable_hash_text(uint64_t state, const char *text, size_t length) {
    return fnv_1a_more(stable_hash_number(state, length), text, length);
}

static inline uint64_t stable_hash_end(uint64_t state) {
    state = (state ^ (state >> 33)) * 0xff51afd7ed558ccdu;
    state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53u;
    return state ^ (state >> 33);
}

#endif
