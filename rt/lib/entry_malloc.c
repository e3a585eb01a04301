/* The sited calls of malloc and its family. The hot path.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "entry.h"
#include "next.h"

#include <errno.h>

/* The allocation was counted before the allocator was asked, and that has failed. */
static COLD void *alloc_failed(struct allocsite_site *site, size_t bytes) {
    count_site(site, EVENT_ALLOC_FAILED, bytes);
    return NULL;
}

/* p is what the allocator gave. */
static inline void *count_alloc(struct allocsite_site *site, void *p, size_t bytes) {
    struct counters *counters = hot_counters(site->slot);
    if (LIKELY(counters && p))
        bump_alloc(counters, bytes);
    else if (!runtime_off)
        count_site(site, p ? EVENT_ALLOC : EVENT_FAILED, bytes);
    return p;
}

static COLD void *malloc_slow(size_t n, struct allocsite_site *site) {
    if (runtime_off)
        return next.malloc(n);
    return count_alloc(site, next.malloc(n), n);
}

ENTRY(void *, malloc, size_t n) {
    struct counters *counters = hot_counters(site->slot);
    if (UNLIKELY(!counters))
        return malloc_slow(n, site);
    bump_alloc(counters, n);
    /* Kept in memory for the failure alone: in registers that calls preserve it would cost each call four
     * more instructions to save and restore these. */
    struct allocsite_site *volatile failing_site = site;
    volatile size_t failing_size = n;
    void *p = next.malloc(n);
    return LIKELY(p) ? p : alloc_failed(failing_site, failing_size);
}

ENTRY(void *, calloc, size_t n, size_t size) {
    return count_alloc(site, next.calloc(n, size), n * size);
}

/* A realloc to nothing may free the block and return NULL: that is no failure, and no allocation. */
static COLD void count_realloc_slow(struct allocsite_site *site, const void *old, const void *p, size_t n) {
    if (p || !old || n)
        count_site(site, !p ? EVENT_FAILED : old ? EVENT_REALLOC : EVENT_ALLOC, n);
}

static inline void *count_realloc(struct allocsite_site *site, const void *old, void *p, size_t n) {
    struct counters *counters = hot_counters(site->slot);
    if (UNLIKELY(!counters || !p)) {
        if (!runtime_off)
            count_realloc_slow(site, old, p, n);
    } else if (!old) {
        bump_alloc(counters, n);
    } else {
        bump_realloc(counters, n);
    }
    return p;
}

ENTRY(void *, realloc, void *old, size_t n) {
    return count_realloc(site, old, next.realloc(old, n), n);
}

/* The C library's reallocarray is this, calling the realloc of the process. */
ENTRY(void *, reallocarray, void *old, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        count_site(site, EVENT_FAILED, 0);
        errno = ENOMEM;
        return NULL;
    }
    return count_realloc(site, old, next.realloc(old, bytes), bytes);
}

ENTRY(void, free, void *p) {
    (void)site;
    next.free(p);
}

ENTRY(void *, aligned_alloc, size_t align, size_t n) {
    return count_alloc(site, next.aligned_alloc(align, n), n);
}

ENTRY(void *, memalign, size_t align, size_t n) {
    return count_alloc(site, next.memalign(align, n), n);
}

ENTRY(void *, valloc, size_t n) {
    return count_alloc(site, next.valloc(n), n);
}

ENTRY(void *, pvalloc, size_t n) {
    return count_alloc(site, next.pvalloc(n), n);
}

ENTRY(int, posix_memalign, void **p, size_t align, size_t n) {
    int error = next.posix_memalign(p, align, n);
    count_alloc(site, error ? NULL : p, n);
    return error;
}
