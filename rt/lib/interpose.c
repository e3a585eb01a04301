/* The allocator as everything calls it that was not compiled with the plugin: counted for the calling module
 * or for the scope. In the shared library these stand before the C library's; in the static one the linker
 * puts __wrap_malloc in the place of malloc (--wrap).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "interpose.h"
#include "next.h"
#include "runtime.h"

#include <errno.h>

INTERPOSE(void *, malloc, size_t n) {
    void *p = next.malloc(n);
    note_alloc(CALLER, p, n);
    return p;
}

INTERPOSE(void *, calloc, size_t n, size_t size) {
    void *p = next.calloc(n, size);
    note_alloc(CALLER, p, n * size);
    return p;
}

/* A realloc to nothing may free the block and return NULL: that is no failure, and no allocation. */
static inline void note_either(const void *caller, const void *old, const void *p, size_t n) {
    if (!old)
        note_alloc(caller, p, n);
    else if (p || n)
        note_realloc(caller, p, n);
    else
        handover_take(); /* it was for this call */
}

INTERPOSE(void *, realloc, void *old, size_t n) {
    void *p = next.realloc(old, n);
    note_either(CALLER, old, p, n);
    return p;
}

INTERPOSE(void *, reallocarray, void *old, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        count_unsited(CALLER, EVENT_FAILED, 0);
        errno = ENOMEM;
        return NULL;
    }
    void *p = next.realloc(old, bytes);
    note_either(CALLER, old, p, bytes);
    return p;
}

INTERPOSE(void, free, void *p) {
    next.free(p);
}

INTERPOSE(void *, aligned_alloc, size_t align, size_t n) {
    void *p = next.aligned_alloc(align, n);
    note_alloc(CALLER, p, n);
    return p;
}

INTERPOSE(void *, memalign, size_t align, size_t n) {
    void *p = next.memalign(align, n);
    note_alloc(CALLER, p, n);
    return p;
}

INTERPOSE(void *, valloc, size_t n) {
    void *p = next.valloc(n);
    note_alloc(CALLER, p, n);
    return p;
}

INTERPOSE(void *, pvalloc, size_t n) {
    void *p = next.pvalloc(n);
    note_alloc(CALLER, p, n);
    return p;
}

INTERPOSE(int, posix_memalign, void **p, size_t align, size_t n) {
    int error = next.posix_memalign(p, align, n);
    note_alloc(CALLER, error ? NULL : p, n);
    return error;
}
