/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocator functions for code that was not compiled with the plugin. In the shared library, these
 * definitions come before the C library's. In the static library, the linker replaces malloc by __wrap_malloc
 * (--wrap). */
#include "lib/calls/interpose.h"

#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/heap/operators.h"
#include "lib/paths/origin.h"

#include "lib/acct/acct.h"
#include "lib/calls/entry.h"

#include <errno.h>

#ifdef ALLOCSITE_STATIC

void interpose_find_all(void) {}

#else

extern const struct real_function __start_allocsite_real[] __attribute__((visibility("hidden")));
extern const struct real_function __stop_allocsite_real[] __attribute__((visibility("hidden")));

void interpose_find_all(void) {
    for (const struct real_function *at = __start_allocsite_real; at < __stop_allocsite_real; at++)
        if (!*at->found && underlying_defined_after(at->name))
            *at->found = underlying_symbol_after(at->name);
    strdup_is_known();
    operators_find();
}

#endif

INTERPOSE(void *, malloc, size_t n) {
    KEEP(size_t, bytes, n);
    void *p = underlying_after.malloc(n);
    return acct_alloc_unsited(CALLER, p, bytes, FAMILY_MALLOC);
}

INTERPOSE(void *, calloc, size_t n, size_t size) {
    KEEP(size_t, bytes, n * size);
    void *p = underlying_after.calloc(n, size);
    return acct_alloc_unsited(CALLER, p, bytes, FAMILY_MALLOC);
}

INTERPOSE(void *, realloc, void *old, size_t n) {
    return acct_realloc_unsited(old, n, CALLER);
}

INTERPOSE(void *, reallocarray, void *old, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        acct_failed(BY_CALLER);
        errno = ENOMEM;
        return NULL;
    }
    return acct_realloc_unsited(old, bytes, CALLER);
}

INTERPOSE(void, free, void *p) {
    acct_free_block(p, NULL, false, FAMILY_ANY);
}

INTERPOSE(void, free_sized, void *p, size_t n) {
    (void)n;
    acct_free_block(p, NULL, false, FAMILY_ANY);
}

INTERPOSE(void, free_aligned_sized, void *p, size_t align, size_t n) {
    (void)align;
    (void)n;
    acct_free_block(p, NULL, false, FAMILY_ANY);
}

INTERPOSE(void *, aligned_alloc, size_t align, size_t n) {
    return acct_alloc_unsited(CALLER, underlying_after.aligned_alloc(align, n), n, FAMILY_MALLOC);
}

INTERPOSE(void *, memalign, size_t align, size_t n) {
    return acct_alloc_unsited(CALLER, underlying_after.memalign(align, n), n, FAMILY_MALLOC);
}

INTERPOSE(void *, valloc, size_t n) {
    return acct_alloc_unsited(CALLER, underlying_after.valloc(n), n, FAMILY_MALLOC);
}

INTERPOSE(void *, pvalloc, size_t n) {
    return acct_alloc_unsited(CALLER, underlying_after.pvalloc(n), n, FAMILY_MALLOC);
}

INTERPOSE(int, posix_memalign, void **p, size_t align, size_t n) {
    void *made = NULL;
    int error = underlying_after.posix_memalign(&made, align, n);
    return aligned_end(p, made, acct_alloc_unsited(CALLER, error ? NULL : made, n, FAMILY_MALLOC), error);
}
