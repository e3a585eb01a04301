/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that instrumented code calls: __liballocsite_v1_<function> (ALLOCSITE_ENTRY), with the site
 * as the last parameter. A calling function that keeps a context calls
 * __liballocsite_v1_<function>_by_context, with the context after the site. The definitions spell these names
 * out, so that tools find them. Nothing in the runtime calls them, so nothing declares them. */
#ifndef ALLOCSITE_LIB_CALLS_ENTRY_H
#define ALLOCSITE_LIB_CALLS_ENTRY_H

#include "format.h"
#include "lib/acct/acct.h"
#include "lib/base/macros.h"
#include "lib/heap/operators.h"
#include "lib/paths/origin.h"

#include <errno.h>
#include <string.h>

/* Returns whether strdup and strndup are the C library's or the underlying allocator's, which call malloc and
 * copy. The entries then do this themselves. Other definitions are called, and their allocations are counted
 * like any others. */
bool strdup_is_known(void);

/* The body of strdup in this case. Values that are needed later are in memory (KEEP) if there is no register
 * for them. count: acct_alloc or a similar function. */
#define DUPLICATE(text, site, count)                                                                         \
    KEEP(struct allocsite_site *, kept_site, site);                                                          \
    KEEP(const char *, kept_text, text);                                                                     \
    size_t n = strlen(text) + 1;                                                                             \
    KEEP(size_t, bytes, n);                                                                                  \
    void *p = underlying.malloc(n);                                                                          \
    p = count(kept_site, p, bytes, FAMILY_MALLOC);                                                           \
    return LIKELY(p != NULL) ? memcpy(p, kept_text, bytes) : NULL;

/* Calls operator new if the allocator cannot be called directly, or has failed. Counts the block that an
 * allocator's operator returns for the origin. It may throw. */
void *operator_new_slow(struct operator_new *, struct origin, size_t n, size_t align, const void *nothrow);

/* Ends posix_memalign, which leaves *p alone if it fails. counted: `made`, or NULL if the call fails although
 * the allocator's has not. */
static inline int aligned_end(void **p, void *made, void *counted, int error) {
    if (UNLIKELY(error || (made && !counted)))
        return error ? error : ENOMEM;
    *p = counted;
    return 0;
}

/* Copies a string into a block of length + 1 bytes. Returns the block. NULL: the block is NULL. */
static inline char *string_copy(char *block, const char *text, size_t length) {
    if (UNLIKELY(!block))
        return NULL;
    block[length] = '\0';
    return memcpy(block, text, length);
}

#endif
