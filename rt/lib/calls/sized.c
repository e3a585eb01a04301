/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the sizes of allocations in addition to everything else. The hot path of sizes=1. */
#include "lib/calls/interpose.h"

#include "format.h"
#include "lib/acct/acct.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/paths/origin.h"

static inline __attribute__((always_inline)) void *count_sited(struct allocsite_site *site, void *p,
                                                               size_t bytes, enum family family) {
    void *counted = acct_gain(local.free_view, site->key, p, bytes, family, true);
    return LIKELY(counted != NULL) ? counted : acct_alloc_slow(BY_SITE(site), p, bytes, family);
}

static inline __attribute__((always_inline)) void *count_new(struct allocsite_site *site, void *p,
                                                             size_t bytes, enum family family) {
    void *counted = acct_gain(local.free_view, site->key, p, bytes, family, true);
    return LIKELY(counted != NULL) || !p ? counted : acct_alloc_slow(BY_SITE(site), p, bytes, family);
}

static inline __attribute__((always_inline)) void *count_unsited(const void *caller, void *p, size_t bytes,
                                                                 enum family family) {
    void *counted = LIKELY(!local.silent)
                        ? acct_gain(local.free_view, caller_key_cached(caller), p, bytes, family, true)
                        : NULL;
    return LIKELY(counted != NULL) ? counted
                                   : acct_alloc_slow((struct origin){.caller = caller}, p, bytes, family);
}

static inline void *moved_sited(void *old, size_t n, struct allocsite_site *site) {
    return acct_realloc_by_size(old, n, site);
}

static inline void *moved_unsited(void *old, size_t n, const void *caller) {
    return acct_realloc_unsited_by_size(old, n, caller);
}

#include "lib/calls/redirected.h"

uintptr_t sized_function(const char *symbol) {
    return redirected_here(symbol);
}
