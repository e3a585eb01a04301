/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* operator new: the interposed operators, and what is done where the allocator itself cannot be called.
 *
 * An operator of the program's own is called as it would be without allocsite: by a jump. Allocations of such
 * an operator are counted where the operator allocates. An allocator's operator does not call malloc, so the
 * block that it returns is counted for the caller. If it throws, that failure is not counted.
 *
 * Apart from new.c, because lld takes this file into static C programs, too. */
#include "format.h"
#include "lib/acct/acct.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/calls/entry.h"
#include "lib/calls/interpose.h"
#include "lib/heap/operators.h"

#include <errno.h>
#include <stdint.h>

/* Returns whether the operator returns blocks that the interposed malloc does not see. */
static bool is_unseen(const struct operator_new *op) {
    return op->kind == OPERATOR_ALLOCATORS || gap_is_set(GAP_INTERPOSITION) || gap_is_set(GAP_UNWRAPPED);
}

static void *new_fast(const struct operator_new *op, size_t n, size_t align) {
    return op->aligned ? operator_aligned(op, n, align) : op->fast(n + !n);
}

static enum family family_of(const struct operator_new *op) {
    return op->array ? FAMILY_NEW_ARRAY : FAMILY_NEW;
}

/* Calls an operator of the standard library, because memory ran out, or of the allocator. If the operator got
 * the block from the interposed malloc, the block is counted already. Only the family of the block is
 * corrected. */
static void *new_by_library(struct operator_new *op, struct origin origin, size_t n, size_t align,
                            const void *nothrow) {
    if (operator_gives_up(op, n, align)) {
        acct_failed(origin);
        return operator_give_up(op);
    }
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

/* The failure is the C++ library's if there is a new handler, which it calls in between: the library's first
 * allocation fails. An allocator's operator cannot be made to fail, so its handler is not called. */
static COLD void *new_watched(struct operator_new *op, struct origin origin, size_t n, size_t align,
                              const void *nothrow) {
    bool fails = acct_fails(origin);
    size_t asked = op->aligned ? operator_rounded(n, align) : n + !n;
    void *p = NULL;
    if (!fails && op->calls_allocator && asked)
        p = op->aligned ? underlying.aligned_alloc(align, asked) : underlying.malloc(asked);
    if (p)
        return acct_alloc_slow(origin, p, n, family_of(op));
    if (fails && op->kind == OPERATOR_ALLOCATORS) {
        acct_failed(origin);
        return operator_give_up(op);
    }
    local.fails_next = fails && !operator_gives_up(op, n, align);
    p = new_by_library(op, origin, n, align, nothrow);
    local.fails_next = false;
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
    if (UNLIKELY(operators_are_watched))
        return new_watched(op, origin, n, align, nothrow);
    void *p = new_fast(op, n, align);
    return p ? acct_alloc_slow(origin, p, n, family_of(op)) : new_by_library(op, origin, n, align, nothrow);
}

/* A macro, so that the return address is read after the call. Reading it before would take a register. */
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
