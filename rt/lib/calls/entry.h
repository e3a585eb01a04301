/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What instrumented code calls: __liballocsite_v1_<function> (ALLOCSITE_ENTRY), with the site as the last
 * parameter; where a function keeps its calling context __liballocsite_v1_<function>_by_context, with that
 * behind it. Definitions have their whole names, by which tools find them; nothing calls them here, so
 * nothing declares them. */
#ifndef ALLOCSITE_LIB_CALLS_ENTRY_H
#define ALLOCSITE_LIB_CALLS_ENTRY_H

#include "format.h"
#include "lib/acct/acct.h"
#include "lib/base/macros.h"
#include "lib/heap/operators.h"
#include "lib/paths/origin.h"

#include <string.h>

/* Returns whether strdup and strndup are the C library's own, which are a malloc and a copy: the entries do
 * these two themselves. Others are called, and what they allocate is counted for the line that calls them. */
bool strdup_is_known(void);

/* What strdup does then. Of what is needed later that is in memory for which there are no registers.
 * count: acct_alloc or its like. */
#define DUPLICATE(text, site, count)                                                                         \
    KEEP(struct allocsite_site *, kept_site, site);                                                          \
    KEEP(const char *, kept_text, text);                                                                     \
    size_t n = strlen(text) + 1;                                                                             \
    KEEP(size_t, bytes, n);                                                                                  \
    void *p = next.malloc(n);                                                                                \
    p = count(kept_site, p, bytes, FAMILY_MALLOC);                                                           \
    return LIKELY(p != NULL) ? memcpy(p, kept_text, bytes) : NULL;

/* Calls operator new where the allocator itself cannot be called instead, or has failed. Counts the block
 * that an allocator's operator returns for the origin. It may throw. */
void *operator_new_slow(struct operator_new *, struct origin, size_t n, size_t align, const void *nothrow);

/* The copy that strndup makes, in a block of one byte more than length. NULL: there is none. */
static inline char *string_copy(char *block, const char *text, size_t length) {
    if (UNLIKELY(!block))
        return NULL;
    block[length] = '\0';
    return memcpy(block, text, length);
}

#endif
