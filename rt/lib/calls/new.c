/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* operator new: the entries for sited calls. The operators of the C++ standard libraries are known to call
 * malloc first, so an entry calls the allocator itself. */
#include "format.h"
#include "lib/acct/acct.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/calls/entry.h"
#include "lib/calls/interpose.h"
#include "lib/heap/operators.h"
#include "lib/registry/registry.h"

#include <errno.h>
#include <stdint.h>

#ifdef ALLOCSITE_STATIC
/* operators.c refers to these weakly, which makes no linker take them from the C++ library. */
void needed_throw(void) __asm__("_ZSt17__throw_bad_allocv");
void needed_get_handler(void) __asm__("_ZSt15get_new_handlerv");
__attribute__((used)) static void (*const needed[])(void) = {needed_throw, needed_get_handler};
#endif

static inline __attribute__((always_inline)) void *sited_plain(struct operator_new *op, size_t n,
                                                               enum family family, const void *nothrow,
                                                               struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = op->fast(n + !n);
    p = acct_alloc_made(kept_site, p, bytes, family);
    return LIKELY(p) ? p : operator_new_slow(op, BY_SITE(kept_site), bytes, 0, nothrow);
}

/* A replaced operator may itself keep contexts; `value` passes it the caller's context, because it cannot see
 * the caller's return address. */
static COLD void *new_slow_by_context(struct operator_new *op, size_t n, struct allocsite_site *site,
                                      uint64_t value) {
    context = value;
    return operator_new_slow(op, BY_SITE(site), n, 0, NULL);
}

static inline __attribute__((always_inline)) void *plain_by_context(struct operator_new *op, size_t n,
                                                                    enum family family,
                                                                    struct allocsite_site *site,
                                                                    uint64_t value, const void *frame) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    KEEP(uint64_t, of_site, value + context_of_site(site));
    void *p = op->fast(n + !n);
    return LIKELY(p) ? acct_alloc_by_context(&kept_site, p, bytes, family, &of_site, frame)
                     : new_slow_by_context(op, bytes, kept_site, of_site - context_of_site(kept_site));
}

static inline __attribute__((always_inline)) void *sited_aligned(struct operator_new *op, size_t n,
                                                                 size_t align, enum family family,
                                                                 const void *nothrow,
                                                                 struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    KEEP(size_t, kept_align, align);
    void *p = operator_aligned(op, n, align);
    return LIKELY(p) ? acct_alloc(kept_site, p, bytes, family)
                     : operator_new_slow(op, BY_SITE(kept_site), bytes, kept_align, nothrow);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__Znwm(size_t n, struct allocsite_site *site) {
    return sited_plain(&operators_new[NEW], n, FAMILY_NEW, NULL, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__Znam(size_t n, struct allocsite_site *site) {
    return sited_plain(&operators_new[NEW_ARRAY], n, FAMILY_NEW_ARRAY, NULL, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__Znwm_by_context(size_t n, struct allocsite_site *site,
                                                          uint64_t value) {
    return plain_by_context(&operators_new[NEW], n, FAMILY_NEW, site, value, OWN_FRAME);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__Znam_by_context(size_t n, struct allocsite_site *site,
                                                          uint64_t value) {
    return plain_by_context(&operators_new[NEW_ARRAY], n, FAMILY_NEW_ARRAY, site, value, OWN_FRAME);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__ZnwmRKSt9nothrow_t(size_t n, const void *nothrow,
                                                             struct allocsite_site *site) {
    return sited_plain(&operators_new[NEW_NOTHROW], n, FAMILY_NEW, nothrow, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__ZnamRKSt9nothrow_t(size_t n, const void *nothrow,
                                                             struct allocsite_site *site) {
    return sited_plain(&operators_new[NEW_ARRAY_NOTHROW], n, FAMILY_NEW_ARRAY, nothrow, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__ZnwmSt11align_val_t(size_t n, size_t align,
                                                              struct allocsite_site *site) {
    return sited_aligned(&operators_new[NEW_ALIGNED], n, align, FAMILY_NEW, NULL, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__ZnamSt11align_val_t(size_t n, size_t align,
                                                              struct allocsite_site *site) {
    return sited_aligned(&operators_new[NEW_ARRAY_ALIGNED], n, align, FAMILY_NEW_ARRAY, NULL, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__ZnwmSt11align_val_tRKSt9nothrow_t(size_t n, size_t align,
                                                                            const void *nothrow,
                                                                            struct allocsite_site *site) {
    return sited_aligned(&operators_new[NEW_ALIGNED_NOTHROW], n, align, FAMILY_NEW, nothrow, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1__ZnamSt11align_val_tRKSt9nothrow_t(size_t n, size_t align,
                                                                            const void *nothrow,
                                                                            struct allocsite_site *site) {
    return sited_aligned(&operators_new[NEW_ARRAY_ALIGNED_NOTHROW], n, align, FAMILY_NEW_ARRAY, nothrow,
                         site);
}
