/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callers: the return addresses of allocations without a site. Each caller has a slot. If there are too many,
 * further ones share their module's slot. */
#ifndef ALLOCSITE_LIB_REGISTRY_CALLERS_H
#define ALLOCSITE_LIB_REGISTRY_CALLERS_H

#include "format.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"

/* A cache of callers' keys, indexed by the lowest bits of the address. A word holds the page number and the
 * key without its lowest bits. Words are read and written atomically, so the cache needs no lock. */
#define CALLER_CACHE_SIZE 4096
#define CALLER_KEY_BITS   (32 - KEY_SHIFT)
extern uint64_t caller_cache[CALLER_CACHE_SIZE] __attribute__((visibility("hidden")));

/* Returns the key of the caller; ALLOCSITE_KEY_NONE if memory is out. Keeps errno. */
uint32_t caller_key_lookup(const void *caller);

/* Like caller_key_lookup, from the cache only: ALLOCSITE_KEY_NONE if it is not there. */
static inline uint32_t caller_key_cached(const void *caller) {
    uint64_t page = (uintptr_t)caller / CALLER_CACHE_SIZE;
    uint64_t entry = __atomic_load_n(&caller_cache[(uintptr_t)caller % CALLER_CACHE_SIZE], __ATOMIC_RELAXED);
    return LIKELY(entry >> CALLER_KEY_BITS == page) ? (uint32_t)entry << KEY_SHIFT : ALLOCSITE_KEY_NONE;
}

static inline uint32_t caller_key(const void *caller) {
    uint32_t key = caller_key_cached(caller);
    return LIKELY(key != ALLOCSITE_KEY_NONE) ? key : caller_key_lookup(caller);
}

static inline uint32_t caller_slot(const void *caller) {
    return key_slot(caller_key(caller));
}

/* Empties the caches, because addresses may now be other code. */
void callers_forget(void);

#endif
