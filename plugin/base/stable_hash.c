/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/stable_hash.h"

#define FNV_OFFSET_BASIS 0xcbf29ce484222325u
#define FNV_PRIME        0x100000001b3u

static uint64_t byte(uint64_t state, unsigned char value) {
    return (state ^ value) * FNV_PRIME;
}

uint64_t stable_hash_begin(void) {
    return FNV_OFFSET_BASIS;
}

uint64_t stable_hash_number(uint64_t state, uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
        state = byte(state, (unsigned char)(number >> shift));
    return state;
}

uint64_t stable_hash_text(uint64_t state, const char *text, size_t length) {
    state = stable_hash_number(state, length);
    for (size_t i = 0; i < length; i++)
        state = byte(state, (unsigned char)text[i]);
    return state;
}

uint64_t stable_hash_end(uint64_t state) {
    state = (state ^ (state >> 33)) * 0xff51afd7ed558ccdu;
    state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53u;
    return state ^ (state >> 33);
}
