/* The sited calls of malloc and its family. The hot path.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "entry.h"
#include "own.h"

#include <errno.h>

ENTRY(void *, malloc, size_t n) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = next.malloc(n);
    return own_alloc(kept_site, p, bytes, FAMILY_MALLOC);
}

ENTRY(void *, calloc, size_t n, size_t size) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n * size);
    void *p = next.calloc(n, size);
    return own_alloc(kept_site, p, bytes, FAMILY_MALLOC);
}

ENTRY(void *, realloc, void *old, size_t n) {
    return own_realloc(old, n, (struct origin){.site = site});
}

/* The C library's reallocarray is this, calling the realloc of the process. */
ENTRY(void *, reallocarray, void *old, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        own_failed((struct origin){.site = site});
        errno = ENOMEM;
        return NULL;
    }
    return own_realloc(old, bytes, (struct origin){.site = site});
}

ENTRY(void, free, void *p) {
    own_free_block(p, (struct origin){.site = site}, FAMILY_MALLOC);
}

ENTRY(void *, aligned_alloc, size_t align, size_t n) {
    return own_alloc(site, next.aligned_alloc(align, n), n, FAMILY_MALLOC);
}

ENTRY(void *, memalign, size_t align, size_t n) {
    return own_alloc(site, next.memalign(align, n), n, FAMILY_MALLOC);
}

ENTRY(void *, valloc, size_t n) {
    return own_alloc(site, next.valloc(n), n, FAMILY_MALLOC);
}

ENTRY(void *, pvalloc, size_t n) {
    return own_alloc(site, next.pvalloc(n), n, FAMILY_MALLOC);
}

ENTRY(int, posix_memalign, void **p, size_t align, size_t n) {
    int error = next.posix_memalign(p, align, n);
    own_alloc(site, error ? NULL : *p, n, FAMILY_MALLOC);
    return error;
}
