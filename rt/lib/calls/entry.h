/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Declaring and defining what instrumented code calls: __liballocsite_v1_<function>, with the site as the
 * last parameter. */
#ifndef ALLOCSITE_LIB_CALLS_ENTRY_H
#define ALLOCSITE_LIB_CALLS_ENTRY_H

#include "format.h"
#include "lib/base/macros.h"
#include "lib/bill/scope.h"
#include "lib/own/own.h"

#include <string.h>

/* ENTRY(void *, malloc, size_t n) { ... } defines the entry of malloc; `site` is its last parameter. */
#define ENTRY(result, name, ...)                                                                             \
    ALLOCSITE_EXPORT result ALLOCSITE_ENTRY(name)(__VA_ARGS__, struct allocsite_site * site);                \
    ALLOCSITE_EXPORT result ALLOCSITE_ENTRY(name)(__VA_ARGS__, struct allocsite_site * site)

/* What functions that keep their contexts call in its place: `value` is theirs. */
#define ENTRY_BY_CONTEXT(result, name, ...)                                                                  \
    ALLOCSITE_EXPORT result ALLOCSITE_BY_CONTEXT(name)(__VA_ARGS__, struct allocsite_site * site,            \
                                                       uint64_t value);                                      \
    ALLOCSITE_EXPORT result ALLOCSITE_BY_CONTEXT(name)(__VA_ARGS__, struct allocsite_site * site,            \
                                                       uint64_t value)

/* The same for a function without parameters. */
#define ENTRY0(result, name)                                                                                 \
    ALLOCSITE_EXPORT result ALLOCSITE_ENTRY(name)(struct allocsite_site * site);                             \
    ALLOCSITE_EXPORT result ALLOCSITE_ENTRY(name)(struct allocsite_site * site)

/* Whether strdup and strndup are the C library's own, which are known to be a malloc and a copy: to be done
 * here takes a third of the instructions of a scope around them. Another one's have to be called. */
bool strdup_is_known(void);

/* What strdup does then. Of what is needed later that is in memory for which there are no registers.
 * count: own_alloc or its like. */
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
