/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* operator delete: the entries for sited calls, and the interposed operators. Every call has the same effect
 * as without allocsite. The operators of the C++ standard libraries only call free, so the runtime calls free
 * directly. */
#include "lib/acct/acct.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/calls/entry.h"
#include "lib/calls/interpose.h"
#include "lib/heap/operators.h"
#include "lib/paths/origin.h"
#include "lib/registry/registry.h"

#include <errno.h>

/* The underlying allocator's operator usually does not call the interposed free. If it does, free finds that
 * the block is already released (local.released). */
static void delete_by_allocator(const struct operator_delete *op, const struct delete_call *call,
                                struct origin by) {
    const void *around = local.released;
    acct_free(call->p, by, op->family);
    local.released = call->p;
    operator_delete_call(op, call);
    local.released = around;
}

/* Blocks that a replaced operator passes to free count as freed by the delete that called the operator. */
static void delete_by_program(const struct operator_delete *op, const struct delete_call *call,
                              struct origin by) {
    uint32_t around = local.releaser;
    if (!around && by.site)
        local.releaser = site_slot(by.site) + 1;
    operator_delete_call(op, call);
    local.releaser = around;
}

static COLD void delete_slow(struct operator_delete *op, void *p, size_t n, size_t align, const void *nothrow,
                             struct origin by) {
    const struct delete_call call = {p, n, align, nothrow};
    int error = errno;
    runtime_start();
    operator_delete_find(op);
    errno = error;
    if (op->kind == OPERATOR_STANDARD)
        acct_free_block_slow(p, by, op->family);
    else if (runtime_off)
        operator_delete_call(op, &call);
    else if (op->kind == OPERATOR_ALLOCATORS)
        delete_by_allocator(op, &call, by);
    else
        delete_by_program(op, &call, by);
}

/* Separate arguments, because a structure would be written to the stack on the hot path, too. */
static inline __attribute__((always_inline)) void delete_block(enum delete_form form, enum family family,
                                                               void *p, size_t n, size_t align,
                                                               const void *nothrow,
                                                               struct allocsite_site *site, bool has_site) {
    struct operator_delete *op = &operators_delete[form];
    if (acct_free_quickly(p, &op->slow_bits, site, has_site, family))
        return;
    if (LIKELY(op->frees))
        acct_free_slowly(p, site, has_site, family);
    else
        delete_slow(op, p, n, align, nothrow, (struct origin){site, has_site ? NULL : CALLER});
}

/* The operators of a static program call the wrapped free. */
#ifdef ALLOCSITE_STATIC
#define UNSITED(symbol, form, family, n, align, nothrow, ...)
#else
#define UNSITED(symbol, form, family, n, align, nothrow, ...)                                                \
    INTERPOSE(void, symbol, __VA_ARGS__) {                                                                   \
        delete_block(form, family, p, n, align, nothrow, NULL, false);                                       \
    }
#endif

ALLOCSITE_EXPORT void __liballocsite_v1__ZdlPv(void *p, struct allocsite_site *site) {
    delete_block(DELETE, FAMILY_NEW, p, 0, 0, NULL, site, true);
}
UNSITED(_ZdlPv, DELETE, FAMILY_NEW, 0, 0, NULL, void *p)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdaPv(void *p, struct allocsite_site *site) {
    delete_block(DELETE_ARRAY, FAMILY_NEW_ARRAY, p, 0, 0, NULL, site, true);
}
UNSITED(_ZdaPv, DELETE_ARRAY, FAMILY_NEW_ARRAY, 0, 0, NULL, void *p)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdlPvm(void *p, size_t n, struct allocsite_site *site) {
    delete_block(DELETE_SIZED, FAMILY_NEW, p, n, 0, NULL, site, true);
}
UNSITED(_ZdlPvm, DELETE_SIZED, FAMILY_NEW, n, 0, NULL, void *p, size_t n)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdaPvm(void *p, size_t n, struct allocsite_site *site) {
    delete_block(DELETE_ARRAY_SIZED, FAMILY_NEW_ARRAY, p, n, 0, NULL, site, true);
}
UNSITED(_ZdaPvm, DELETE_ARRAY_SIZED, FAMILY_NEW_ARRAY, n, 0, NULL, void *p, size_t n)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdlPvRKSt9nothrow_t(void *p, const void *nothrow,
                                                             struct allocsite_site *site) {
    delete_block(DELETE_NOTHROW, FAMILY_NEW, p, 0, 0, nothrow, site, true);
}
UNSITED(_ZdlPvRKSt9nothrow_t, DELETE_NOTHROW, FAMILY_NEW, 0, 0, nothrow, void *p, const void *nothrow)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdaPvRKSt9nothrow_t(void *p, const void *nothrow,
                                                             struct allocsite_site *site) {
    delete_block(DELETE_ARRAY_NOTHROW, FAMILY_NEW_ARRAY, p, 0, 0, nothrow, site, true);
}
UNSITED(_ZdaPvRKSt9nothrow_t, DELETE_ARRAY_NOTHROW, FAMILY_NEW_ARRAY, 0, 0, nothrow, void *p,
        const void *nothrow)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdlPvSt11align_val_t(void *p, size_t align,
                                                              struct allocsite_site *site) {
    delete_block(DELETE_ALIGNED, FAMILY_NEW, p, 0, align, NULL, site, true);
}
UNSITED(_ZdlPvSt11align_val_t, DELETE_ALIGNED, FAMILY_NEW, 0, align, NULL, void *p, size_t align)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdaPvSt11align_val_t(void *p, size_t align,
                                                              struct allocsite_site *site) {
    delete_block(DELETE_ARRAY_ALIGNED, FAMILY_NEW_ARRAY, p, 0, align, NULL, site, true);
}
UNSITED(_ZdaPvSt11align_val_t, DELETE_ARRAY_ALIGNED, FAMILY_NEW_ARRAY, 0, align, NULL, void *p, size_t align)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdlPvmSt11align_val_t(void *p, size_t n, size_t align,
                                                               struct allocsite_site *site) {
    delete_block(DELETE_SIZED_ALIGNED, FAMILY_NEW, p, n, align, NULL, site, true);
}
UNSITED(_ZdlPvmSt11align_val_t, DELETE_SIZED_ALIGNED, FAMILY_NEW, n, align, NULL, void *p, size_t n,
        size_t align)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdaPvmSt11align_val_t(void *p, size_t n, size_t align,
                                                               struct allocsite_site *site) {
    delete_block(DELETE_ARRAY_SIZED_ALIGNED, FAMILY_NEW_ARRAY, p, n, align, NULL, site, true);
}
UNSITED(_ZdaPvmSt11align_val_t, DELETE_ARRAY_SIZED_ALIGNED, FAMILY_NEW_ARRAY, n, align, NULL, void *p,
        size_t n, size_t align)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdlPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align,
                                                                            const void *nothrow,
                                                                            struct allocsite_site *site) {
    delete_block(DELETE_ALIGNED_NOTHROW, FAMILY_NEW, p, 0, align, nothrow, site, true);
}
UNSITED(_ZdlPvSt11align_val_tRKSt9nothrow_t, DELETE_ALIGNED_NOTHROW, FAMILY_NEW, 0, align, nothrow, void *p,
        size_t align, const void *nothrow)

ALLOCSITE_EXPORT void __liballocsite_v1__ZdaPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align,
                                                                            const void *nothrow,
                                                                            struct allocsite_site *site) {
    delete_block(DELETE_ARRAY_ALIGNED_NOTHROW, FAMILY_NEW_ARRAY, p, 0, align, nothrow, site, true);
}
UNSITED(_ZdaPvSt11align_val_tRKSt9nothrow_t, DELETE_ARRAY_ALIGNED_NOTHROW, FAMILY_NEW_ARRAY, 0, align,
        nothrow, void *p, size_t align, const void *nothrow)
