/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* operator new: the entries for sited calls, and the interposed operators.
 *
 * The operators of the C++ standard libraries call malloc first, so an entry calls the allocator directly. An
 * operator that the program defines is called as it would be without allocsite: the entry jumps to it, and
 * its allocations are counted where they happen. An allocator's operator does not call malloc, so the block
 * that it returns is counted for the site. If it throws, that failure is not counted. */
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

/* Returns whether the operator returns blocks that the interposed malloc does not see. */
static bool is_unseen(const struct operator_new *op) {
    return op->kind == OPERATOR_ALLOCATORS || hole_is_set(HOLE_INTERPOSITION) || hole_is_set(HOLE_UNWRAPPED);
}

static void *new_fast(const struct operator_new *op, size_t n, size_t align) {
    return op->aligned ? operator_aligned(op, n, align) : op->fast(n + !n);
}

static enum family family_of(const struct operator_new *op) {
    return op->array ? FAMILY_NEW_ARRAY : FAMILY_NEW;
}

/* Calls an operator of the standard library, because memory ran out, or of the allocator. If the operator got
 * the block from the interposed malloc, the block is counted already. Only its family is corrected. */
static void *new_by_library(struct operator_new *op, struct origin origin, size_t n, size_t align,
                            const void *nothrow) {
    void *p = operator_call(op, n, align, nothrow);
    struct block block = {0};
    if (p)
        block = shadow_find(p);
    if (block.state != BLOCK_LIVE && is_unseen(op))
        return acct_alloc_slow(origin, p, n, family_of(op));
    if (block.state == BLOCK_LIVE && block.family == FAMILY_MALLOC)
        shadow_put(p, block.slot, family_of(op), block.size);
    return p;
}

/* Jumps to an operator that the program defines, so that stacks are the same as without allocsite. */
COLD void *operator_new_slow(struct operator_new *op, struct origin origin, size_t n, size_t align,
                             const void *nothrow) {
    int error = errno;
    runtime_start();
    operator_find(op);
    errno = error;
    if (runtime_off || (op->kind == OPERATOR_PROGRAMS && !is_unseen(op)))
        return operator_call(op, n, align, nothrow);
    void *p = new_fast(op, n, align);
    return p ? acct_alloc_slow(origin, p, n, family_of(op)) : new_by_library(op, origin, n, align, nothrow);
}

static inline __attribute__((always_inline)) void *sited_plain(struct operator_new *op, size_t n,
                                                               enum family family, const void *nothrow,
                                                               struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = OPERATORS_HAVE_FAST ? op->fast(n + !n) : NULL;
    p = acct_alloc_made(kept_site, p, bytes, family);
    return LIKELY(p) ? p : operator_new_slow(op, (struct origin){.site = kept_site}, bytes, 0, nothrow);
}

/* A replaced operator may itself keep contexts; `value` passes it the caller's context, because it cannot see
 * the caller's return address. */
static COLD void *new_slow_by_context(struct operator_new *op, size_t n, struct allocsite_site *site,
                                      uint64_t value) {
    context = value;
    return operator_new_slow(op, (struct origin){.site = site}, n, 0, NULL);
}

static inline __attribute__((always_inline)) void *plain_by_context(struct operator_new *op, size_t n,
                                                                    enum family family,
                                                                    struct allocsite_site *site,
                                                                    uint64_t value, const void *frame) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    KEEP(uint64_t, of_site, value + context_of_site(site));
    void *p = OPERATORS_HAVE_FAST ? op->fast(n + !n) : NULL;
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
    void *p = OPERATORS_HAVE_FAST ? operator_aligned(op, n, align) : NULL;
    return LIKELY(p) ? acct_alloc(kept_site, p, bytes, family)
                     : operator_new_slow(op, (struct origin){.site = kept_site}, bytes, kept_align, nothrow);
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

/* A macro, so that the return address is read after the call. Reading it before would take a register. */
#define BY_CALLER ((struct origin){.caller = CALLER})
#define UNSITED_PLAIN(form, family, nothrow)                                                                 \
    KEEP(size_t, bytes, n);                                                                                  \
    struct operator_new *op = &operators_new[form];                                                          \
    void *p = op->fast(n + !n);                                                                              \
    return LIKELY(p) ? acct_alloc_unsited(CALLER, p, bytes, family)                                          \
                     : operator_new_slow(op, BY_CALLER, bytes, 0, nothrow)

#define UNSITED_ALIGNED(form, family, nothrow)                                                               \
    struct operator_new *op = &operators_new[form];                                                          \
    void *p = operator_aligned(op, n, align);                                                                \
    return LIKELY(p) ? acct_alloc_unsited(CALLER, p, n, family)                                              \
                     : operator_new_slow(op, BY_CALLER, n, align, nothrow)

INTERPOSE(void *, _Znwm, size_t n) {
    UNSITED_PLAIN(NEW, FAMILY_NEW, NULL);
}

INTERPOSE(void *, _Znam, size_t n) {
    UNSITED_PLAIN(NEW_ARRAY, FAMILY_NEW_ARRAY, NULL);
}

INTERPOSE(void *, _ZnwmRKSt9nothrow_t, size_t n, const void *nothrow) {
    UNSITED_PLAIN(NEW_NOTHROW, FAMILY_NEW, nothrow);
}

INTERPOSE(void *, _ZnamRKSt9nothrow_t, size_t n, const void *nothrow) {
    UNSITED_PLAIN(NEW_ARRAY_NOTHROW, FAMILY_NEW_ARRAY, nothrow);
}

INTERPOSE(void *, _ZnwmSt11align_val_t, size_t n, size_t align) {
    UNSITED_ALIGNED(NEW_ALIGNED, FAMILY_NEW, NULL);
}

INTERPOSE(void *, _ZnamSt11align_val_t, size_t n, size_t align) {
    UNSITED_ALIGNED(NEW_ARRAY_ALIGNED, FAMILY_NEW_ARRAY, NULL);
}

INTERPOSE(void *, _ZnwmSt11align_val_tRKSt9nothrow_t, size_t n, size_t align, const void *nothrow) {
    UNSITED_ALIGNED(NEW_ALIGNED_NOTHROW, FAMILY_NEW, nothrow);
}

INTERPOSE(void *, _ZnamSt11align_val_tRKSt9nothrow_t, size_t n, size_t align, const void *nothrow) {
    UNSITED_ALIGNED(NEW_ARRAY_ALIGNED_NOTHROW, FAMILY_NEW_ARRAY, nothrow);
}
