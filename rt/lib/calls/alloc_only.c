/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts allocations when owners are not recorded. The hot path of owners=0. */
#include "lib/calls/interpose.h"

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/count/tally.h"
#include "lib/paths/origin.h"

#include "lib/acct/acct.h"
#include "lib/heap/underlying.h"

/* Counts a block that a realloc returned in place of another one. */
static inline bool gain_moved(uint32_t key, const void *p, uint64_t bytes) {
    struct thread *thread = local.alloc_view;
    if (UNLIKELY(!p || key >= thread->capacity || key >= thread->extra_capacity))
        return false;
    struct tally *tally = tally_of_key(thread, key);
    struct extra *extra = tally_extra(thread, tally);
    tally_gain_alone(tally, bytes);
    counter_bump(&extra->reallocs, 1);
    counter_bump(&extra->realloc_bytes, bytes);
    return true;
}

static inline uint32_t caller_of(const void *caller) {
    return LIKELY(!local.silent && local.alloc_view->capacity) ? caller_key(caller) : ALLOCSITE_KEY_NONE;
}

static inline void *count_sited(struct allocsite_site *site, void *p, size_t bytes, enum family family) {
    bool is_counted = acct_gain_alone(site->key, p, bytes);
    return LIKELY(is_counted) ? p : acct_alloc_slow(BY_SITE(site), p, bytes, family);
}

static inline void *count_new(struct allocsite_site *site, void *p, size_t bytes, enum family family) {
    return LIKELY(p) ? count_sited(site, p, bytes, family) : NULL;
}

static inline void *count_unsited(const void *caller, void *p, size_t bytes, enum family family) {
    bool is_counted = acct_gain_alone(caller_of(caller), p, bytes);
    return LIKELY(is_counted) ? p : acct_alloc_slow((struct origin){.caller = caller}, p, bytes, family);
}

static COLD void *moved_slowly(struct origin origin, void *p, size_t bytes) {
    acct_realloc_end(origin, p, bytes);
    return p;
}

static inline void *moved_sited(void *old, size_t n, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = underlying.realloc(old, n);
    size_t size = bytes;
    site = kept_site;
    return LIKELY(gain_moved(site->key, p, size)) ? p : moved_slowly(BY_SITE(site), p, size);
}

static inline void *moved_unsited(void *old, size_t n, const void *caller) {
    void *p = underlying_after.realloc(old, n);
    return LIKELY(gain_moved(caller_of(caller), p, n))
               ? p
               : moved_slowly((struct origin){.caller = caller}, p, n);
}

#include "lib/calls/redirected.h"

uintptr_t alloc_only_function(const char *symbol) {
    return redirected_here(symbol);
}
