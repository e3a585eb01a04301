/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that references to the runtime are redirected to (bypass.c) in a process that counts less or
 * more than the hot path does. A file that includes this header first defines
 *
 *   void *count_sited(struct allocsite_site *, void *p, size_t bytes, enum family)
 *   void *count_unsited(const void *caller, void *p, size_t bytes, enum family)
 *                         count a new block and return p; p: NULL if the call failed
 *   void *count_new(struct allocsite_site *, void *p, size_t bytes, enum family)
 *                         the same, but does not count a failed call
 *   void *moved_sited(void *old, size_t n, struct allocsite_site *)
 *   void *moved_unsited(void *old, size_t n, const void *caller)
 *                         reallocate a block and count this
 *
 * and afterwards a redirect_function that returns redirected_here(symbol). */
#ifndef ALLOCSITE_LIB_CALLS_REDIRECTED_H
#define ALLOCSITE_LIB_CALLS_REDIRECTED_H

#include "format.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/calls/entry.h"
#include "lib/calls/interpose.h"
#include "lib/heap/operators.h"
#include "lib/heap/underlying.h"

#include <stdint.h>
#include <string.h>

static void *sited_malloc(size_t n, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = underlying.malloc(n);
    return count_sited(kept_site, p, bytes, FAMILY_MALLOC);
}

static void *sited_calloc(size_t n, size_t size, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n * size);
    void *p = underlying.calloc(n, size);
    return count_sited(kept_site, p, bytes, FAMILY_MALLOC);
}

static __attribute__((noinline)) void *sited_realloc_of_null(size_t n, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = underlying.realloc(NULL, n);
    return count_sited(kept_site, p, bytes, FAMILY_MALLOC);
}

static void *sited_realloc(void *old, size_t n, struct allocsite_site *site) {
    return UNLIKELY(!old) ? sited_realloc_of_null(n, site) : moved_sited(old, n, site);
}

static char *sited_strdup(const char *text, struct allocsite_site *site) {
    DUPLICATE(text, site, count_sited)
}

static char *sited_strndup(const char *text, size_t n, struct allocsite_site *site) {
    size_t length = strnlen(text, n);
    return string_copy(sited_malloc(length + 1, site), text, length);
}

static void *sited_aligned_alloc(size_t align, size_t n, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = underlying.aligned_alloc(align, n);
    return count_sited(kept_site, p, bytes, FAMILY_MALLOC);
}

static int sited_posix_memalign(void **p, size_t align, size_t n, struct allocsite_site *site) {
    void *count_new = NULL;
    int error = underlying.posix_memalign(&count_new, align, n);
    return aligned_end(p, count_new, count_sited(site, error ? NULL : count_new, n, FAMILY_MALLOC), error);
}

static void *plain_malloc(size_t n) {
    KEEP(size_t, bytes, n);
    void *p = underlying_after.malloc(n);
    return count_unsited(CALLER, p, bytes, FAMILY_MALLOC);
}

static void *plain_calloc(size_t n, size_t size) {
    KEEP(size_t, bytes, n * size);
    void *p = underlying_after.calloc(n, size);
    return count_unsited(CALLER, p, bytes, FAMILY_MALLOC);
}

static void *plain_aligned_alloc(size_t align, size_t n) {
    KEEP(size_t, bytes, n);
    void *p = underlying_after.aligned_alloc(align, n);
    return count_unsited(CALLER, p, bytes, FAMILY_MALLOC);
}

static int plain_posix_memalign(void **p, size_t align, size_t n) {
    void *count_new = NULL;
    int error = underlying_after.posix_memalign(&count_new, align, n);
    return aligned_end(p, count_new, count_unsited(CALLER, error ? NULL : count_new, n, FAMILY_MALLOC),
                       error);
}

static void *plain_realloc(void *old, size_t n) {
    const void *caller = CALLER;
    return UNLIKELY(!old) ? count_unsited(caller, underlying_after.realloc(NULL, n), n, FAMILY_MALLOC)
                          : moved_unsited(old, n, caller);
}

#define NEW(symbol, form, family, nothrow, ...)                                                              \
    static void *sited_##symbol(__VA_ARGS__, struct allocsite_site *site) {                                  \
        KEEP(struct allocsite_site *, kept_site, site);                                                      \
        KEEP(size_t, bytes, n);                                                                              \
        struct operator_new *op = &operators_new[form];                                                      \
        void *p = op->fast(n + !n);                                                                          \
        p = count_new(kept_site, p, bytes, family);                                                          \
        return LIKELY(p) ? p : operator_new_slow(op, BY_SITE(kept_site), bytes, 0, nothrow);                 \
    }                                                                                                        \
    static void *plain_##symbol(__VA_ARGS__) {                                                               \
        KEEP(size_t, bytes, n);                                                                              \
        struct operator_new *op = &operators_new[form];                                                      \
        void *p = op->fast(n + !n);                                                                          \
        return LIKELY(p) ? count_unsited(CALLER, p, bytes, family)                                           \
                         : operator_new_slow(op, BY_CALLER, bytes, 0, nothrow);                              \
    }

NEW(_Znwm, NEW, FAMILY_NEW, NULL, size_t n)
NEW(_Znam, NEW_ARRAY, FAMILY_NEW_ARRAY, NULL, size_t n)
NEW(_ZnwmRKSt9nothrow_t, NEW_NOTHROW, FAMILY_NEW, nothrow, size_t n, const void *nothrow)
NEW(_ZnamRKSt9nothrow_t, NEW_ARRAY_NOTHROW, FAMILY_NEW_ARRAY, nothrow, size_t n, const void *nothrow)

#define NEW_ALIGNED_OF(symbol, form, family)                                                                 \
    static void *sited_##symbol(size_t n, size_t align, struct allocsite_site *site) {                       \
        KEEP(struct allocsite_site *, kept_site, site);                                                      \
        KEEP(size_t, bytes, n);                                                                              \
        KEEP(size_t, kept_align, align);                                                                     \
        struct operator_new *op = &operators_new[form];                                                      \
        void *p = operator_aligned(op, n, align);                                                            \
        return LIKELY(p) ? count_sited(kept_site, p, bytes, family)                                          \
                         : operator_new_slow(op, BY_SITE(kept_site), bytes, kept_align, NULL);               \
    }                                                                                                        \
    static void *plain_##symbol(size_t n, size_t align) {                                                    \
        KEEP(size_t, bytes, n);                                                                              \
        KEEP(size_t, kept_align, align);                                                                     \
        struct operator_new *op = &operators_new[form];                                                      \
        void *p = operator_aligned(op, n, align);                                                            \
        return LIKELY(p) ? count_unsited(CALLER, p, bytes, family)                                           \
                         : operator_new_slow(op, BY_CALLER, bytes, kept_align, NULL);                        \
    }

NEW_ALIGNED_OF(_ZnwmSt11align_val_t, NEW_ALIGNED, FAMILY_NEW)
NEW_ALIGNED_OF(_ZnamSt11align_val_t, NEW_ARRAY_ALIGNED, FAMILY_NEW_ARRAY)

#define SITED(symbol, function)                                                                              \
    { ALLOCSITE_ENTRY_PREFIX #symbol, (uintptr_t)(function) }
#define BOTH(symbol)                                                                                         \
    SITED(symbol, sited_##symbol), {                                                                         \
#symbol, (uintptr_t)plain_##symbol                                                                   \
    }

/* Returns the variant of the runtime's function with this symbol. 0: none. */
static uintptr_t redirected_here(const char *symbol) {
    const struct {
        const char *symbol;
        uintptr_t function;
    } functions[] = {
        BOTH(malloc),
        BOTH(calloc),
        BOTH(realloc),
        BOTH(aligned_alloc),
        BOTH(posix_memalign),
        SITED(strdup, strdup_is_known() ? sited_strdup : NULL),
        SITED(__strdup, strdup_is_known() ? sited_strdup : NULL),
        SITED(strndup, strdup_is_known() ? sited_strndup : NULL),
        SITED(__strndup, strdup_is_known() ? sited_strndup : NULL),
        BOTH(_Znwm),
        BOTH(_Znam),
        BOTH(_ZnwmRKSt9nothrow_t),
        BOTH(_ZnamRKSt9nothrow_t),
        BOTH(_ZnwmSt11align_val_t),
        BOTH(_ZnamSt11align_val_t),
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].symbol, symbol) == 0)
            return functions[i].function;
    return 0;
}

#endif
