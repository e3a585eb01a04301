/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Caches of numbers that take long to find. A new entry replaces the one in its place.
 *
 * All threads share a cache without a lock. A reader may see halves of two entries: the second word is mixed
 * with the first one, so that such halves match a key only as often as hashes of 64 bits are equal. Safe in
 * signal handlers and in forked children. */
#ifndef ALLOCSITE_LIB_BASE_CACHE_H
#define ALLOCSITE_LIB_BASE_CACHE_H

#include "lib/base/macros.h"

#include <stdint.h>

struct cache_key {
    uint64_t main;
    uint32_t other;
};

/* All zeros: empty. */
struct cache_entry {
    uint64_t found; /* high bits: the number, 0 if there is none; low bits: the second part of the key */
    uint64_t mixed; /* the main part of the key, mixed with `found` */
};

#define CACHE_FACTOR 0x9E3779B97F4A7C15u

static inline uint64_t cache_spread(struct cache_key key) {
    return (key.main ^ (uint64_t)key.other << 20) * CACHE_FACTOR;
}

/* Returns the key's place in a cache of 1 << bits entries. */
static inline struct cache_entry *cache_at(struct cache_entry *cache, uint32_t bits, struct cache_key key) {
    return &cache[cache_spread(key) >> (64 - bits)];
}

/* Returns the number for this key; 0 if the entry is another key's. */
static inline uint32_t cache_get(const struct cache_entry *entry, struct cache_key key) {
    uint64_t found = __atomic_load_n(&entry->found, __ATOMIC_RELAXED);
    uint64_t mixed = __atomic_load_n(&entry->mixed, __ATOMIC_RELAXED) ^ found * CACHE_FACTOR;
    return LIKELY(mixed == key.main && (uint32_t)found == key.other) ? (uint32_t)(found >> 32) : 0;
}

static inline void cache_put(struct cache_entry *entry, struct cache_key key, uint32_t number) {
    uint64_t found = (uint64_t)number << 32 | key.other;
    __atomic_store_n(&entry->found, found, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->mixed, key.main ^ found * CACHE_FACTOR, __ATOMIC_RELAXED);
}

#endif
