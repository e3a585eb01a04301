/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callers: the return addresses of allocations that pass no site. Each has a slot of its own, up to as many
 * as there may be; those that come then share their module's. */
#ifndef ALLOCSITE_LIB_REGISTRY_CALLERS_H
#define ALLOCSITE_LIB_REGISTRY_CALLERS_H

#include "format.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"

/* The keys of callers that were here, by the lowest bits of the address; in a word the page and the key
 * without its lowest bits. A word is read whole, so it needs no lock. */
#define CALLER_CACHE_SIZE 4096
#define CALLER_KEY_BITS   (32 - KEY_SHIFT)
extern uint64_t caller_cache[CALLER_CACHE_SIZE] __attribute__((visibility("hidden")));

/* The key for what was called from there. ALLOCSITE_KEY_NONE: no memory. Keeps errno. */
uint32_t caller_key_lookup(const void *caller);

/* The same; ALLOCSITE_KEY_NONE where it has to be looked up. */
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

/* Addresses may be other callers' now. */
void callers_forget(void);

#endif
