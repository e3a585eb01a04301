/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* glibc's second names of malloc and related functions (__libc_malloc). Programs call them to bypass an
 * interposed malloc. They use the same heap as malloc, so the functions of either kind may free the other's
 * blocks. */
#include "lib/acct/acct.h"
#include "lib/calls/interpose.h"
#include "lib/paths/origin.h"

#ifdef ALLOCSITE_STATIC
/* Weak: a reference would pull glibc's malloc into a program that is linked with another one. */
#pragma weak __real___libc_malloc
#pragma weak __real___libc_calloc
#pragma weak __real___libc_realloc
#pragma weak __real___libc_free
#pragma weak __real___libc_memalign
#pragma weak __real___libc_valloc
#pragma weak __real___libc_pvalloc
#endif

REAL_FUNCTION(void *, __libc_malloc, (size_t n), (n))
REAL_FUNCTION(void *, __libc_calloc, (size_t n, size_t size), (n, size))
REAL_FUNCTION(void *, __libc_realloc, (void *p, size_t n), (p, n))
REAL_FUNCTION(void, __libc_free, (void *p), (p))
REAL_FUNCTION(void *, __libc_memalign, (size_t align, size_t n), (align, n))
REAL_FUNCTION(void *, __libc_valloc, (size_t n), (n))
REAL_FUNCTION(void *, __libc_pvalloc, (size_t n), (n))

INTERPOSE(void *, __libc_malloc, size_t n) {
    return acct_alloc_unsited(CALLER, real___libc_malloc(n), n, FAMILY_MALLOC);
}

INTERPOSE(void *, __libc_calloc, size_t n, size_t size) {
    return acct_alloc_unsited(CALLER, real___libc_calloc(n, size), n * size, FAMILY_MALLOC);
}

INTERPOSE(void *, __libc_realloc, void *old, size_t n) {
    if (!old)
        return acct_alloc_unsited(CALLER, real___libc_realloc(old, n), n, FAMILY_MALLOC);
    return acct_realloc_with(real___libc_realloc, old, n, BY_CALLER);
}

INTERPOSE(void, __libc_free, void *p) {
    acct_free(p, BY_CALLER, FAMILY_ANY);
    real___libc_free(p);
}

INTERPOSE(void *, __libc_memalign, size_t align, size_t n) {
    return acct_alloc_unsited(CALLER, real___libc_memalign(align, n), n, FAMILY_MALLOC);
}

INTERPOSE(void *, __libc_valloc, size_t n) {
    return acct_alloc_unsited(CALLER, real___libc_valloc(n), n, FAMILY_MALLOC);
}

INTERPOSE(void *, __libc_pvalloc, size_t n) {
    return acct_alloc_unsited(CALLER, real___libc_pvalloc(n), n, FAMILY_MALLOC);
}
