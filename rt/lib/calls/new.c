/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* operator new: the entries for sited calls, and the interposed ones.
 *
 * A program may replace any of these operators, and so may an allocator. A sited call does what the call
 * would have done without allocsite, and what is allocated inside is billed to the site. The operators of
 * the C++ standard libraries are known to call malloc first; for these the entry goes straight there. */
#include "format.h"
#include "lib/acct/acct.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/calls/entry.h"
#include "lib/calls/interpose.h"
#include "lib/heap/operators.h"
#include "lib/paths/scope.h"
#include "lib/registry/registry.h"

#include <errno.h>
#include <stdint.h>

/* A call of the real operator inside a scope, which may end by an exception. */
struct new_call {
    struct operator_new *op;
    struct scope around;
    bool succeeded;
};

/* The standard operators ask malloc for 1 byte in place of 0, and aligned_alloc for a multiple of the
 * alignment. The size that counts is the program's. */
static size_t most_asked(size_t n, size_t align) {
    size_t least = n ? n : 1;
    size_t multiple = align < sizeof(void *) ? sizeof(void *) : align;
    return align ? (least + multiple - 1) & -multiple : least;
}

static void new_call_end(struct new_call *call) {
    if (!call->succeeded && !call->around.lifts) {
        scope_disown(operator_exception_allocator(call->op));
        count_failed(local.scope.slot);
    }
    scope_close(&call->around);
}

void operator_left_by_exception(void) {
    if (!local.scope.active || !local.scope.expect)
        return;
    scope_disown(operator_exception_allocator(&operators_new[NEW]));
    count_failed(local.scope.slot);
}

/* An allocator's own operator does not pass through malloc. */
static bool is_unseen(const struct operator_new *op) {
    return op->kind == OPERATOR_ALLOCATORS || hole_is_set(HOLE_INTERPOSITION) || hole_is_set(HOLE_UNWRAPPED);
}

/* Blocks that a program's own operator takes from malloc are given back to free by its own delete. */
static enum family family_of(const struct operator_new *op) {
    if (op->kind == OPERATOR_PROGRAMS)
        return FAMILY_MALLOC;
    return op->array ? FAMILY_NEW_ARRAY : FAMILY_NEW;
}

static void *new_scoped(struct operator_new *op, uint32_t slot, bool lifts, size_t n, size_t align,
                        const void *nothrow) {
    __attribute__((cleanup(new_call_end))) struct new_call call = {.op = op};
    call.around = scope_open(slot, lifts, family_of(op), n, most_asked(n, align), &call);
    void *p = operator_call(op, n, align, nothrow);
    call.succeeded = p != NULL;
    if (p && !local.scope.counted && is_unseen(op))
        scope_bill(p, n);
    return p;
}

COLD void *operator_new_sited(struct operator_new *op, size_t n, size_t align, const void *nothrow,
                              struct allocsite_site *site) {
    int error = errno;
    runtime_start();
    operator_find(op);
    uint32_t slot = runtime_off ? NO_SLOT : site_slot(site);
    errno = error;
    if (slot == NO_SLOT)
        return operator_call(op, n, align, nothrow);
    return new_scoped(op, slot, op->kind == OPERATOR_PROGRAMS, n, align, nothrow);
}

static inline __attribute__((always_inline)) void *sited_plain(struct operator_new *op, size_t n,
                                                               enum family family, const void *nothrow,
                                                               struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = OPERATORS_HAVE_FAST ? op->fast(n + !n) : NULL;
    p = acct_alloc_made(kept_site, p, bytes, family);
    return LIKELY(p) ? p : operator_new_sited(op, bytes, 0, nothrow, kept_site);
}

/* Whoever replaced the operator may keep contexts. value: for him alone, who does not see where the program
 * called. */
static COLD void *operator_new_by_context(struct operator_new *op, size_t n, struct allocsite_site *site,
                                          uint64_t value) {
    context = value;
    return operator_new_sited(op, n, 0, NULL, site);
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
                     : operator_new_by_context(op, bytes, kept_site, of_site + ((const uintptr_t *)frame)[1]);
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
                     : operator_new_sited(op, bytes, kept_align, nothrow, kept_site);
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

/* Inside a scope the call belongs to that: the library's operators call one another. */
COLD void *operator_new_unsited(struct operator_new *op, const void *caller, size_t n, size_t align,
                                const void *nothrow) {
    int error = errno;
    runtime_start();
    operator_find(op);
    bool passed_on = runtime_off || local.silent || local.scope.active;
    uint32_t slot = passed_on ? NO_SLOT : unsited_slot(caller);
    errno = error;
    if (slot == NO_SLOT)
        return operator_call(op, n, align, nothrow);
    return new_scoped(op, slot, false, n, align, nothrow);
}

/* A macro, for the caller is to be asked for after the call: before it would need a register. */
#define UNSITED_PLAIN(form, family, nothrow)                                                                 \
    KEEP(size_t, bytes, n);                                                                                  \
    struct operator_new *op = &operators_new[form];                                                          \
    void *p = op->fast(n + !n);                                                                              \
    return LIKELY(p) ? acct_alloc_unsited(CALLER, p, bytes, family)                                          \
                     : operator_new_unsited(op, CALLER, bytes, 0, nothrow)

#define UNSITED_ALIGNED(form, family, nothrow)                                                               \
    struct operator_new *op = &operators_new[form];                                                          \
    void *p = operator_aligned(op, n, align);                                                                \
    return LIKELY(p) ? acct_alloc_unsited(CALLER, p, n, family)                                              \
                     : operator_new_unsited(op, CALLER, n, align, nothrow)

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
