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
#include "lib/paths/scope.h"

#include <string.h>

/* Whether strdup and strndup are the C library's own, which are known to be a malloc and a copy: to be done
 * here takes a third of the instructions of a scope around them. Another one's have to be called. */
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

/* The copy that strndup makes, in a block of one byte more than length. NULL: there is none. */
static inline char *string_copy(char *block, const char *text, size_t length) {
    if (UNLIKELY(!block))
        return NULL;
    block[length] = '\0';
    return memcpy(block, text, length);
}

#endif
