/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sited calls of malloc and its family. The hot path. */
#define _GNU_SOURCE
#include "format.h"
#include "lib/acct/acct.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/calls/entry.h"
#include "lib/count/change.h"
#include "lib/count/threads.h"
#include "lib/paths/origin.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"

#include <errno.h>
#include <string.h>

ALLOCSITE_EXPORT void *__liballocsite_v1_malloc(size_t n, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    void *p = underlying.malloc(n);
    return acct_alloc(kept_site, p, bytes, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_calloc(size_t n, size_t size, struct allocsite_site *site) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n * size);
    void *p = underlying.calloc(n, size);
    return acct_alloc(kept_site, p, bytes, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_malloc_by_context(size_t n, struct allocsite_site *site,
                                                           uint64_t value) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n);
    KEEP(uint64_t, of_site, value + context_of_site(site));
    void *p = underlying.malloc(n);
    return acct_alloc_by_context(&kept_site, p, bytes, FAMILY_MALLOC, &of_site, OWN_FRAME);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_calloc_by_context(size_t n, size_t size, struct allocsite_site *site,
                                                           uint64_t value) {
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(size_t, bytes, n * size);
    KEEP(uint64_t, of_site, value + context_of_site(site));
    void *p = underlying.calloc(n, size);
    return acct_alloc_by_context(&kept_site, p, bytes, FAMILY_MALLOC, &of_site, OWN_FRAME);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_realloc(void *old, size_t n, struct allocsite_site *site) {
    return acct_realloc(old, n, site);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_realloc_by_context(void *old, size_t n, struct allocsite_site *site,
                                                            uint64_t value) {
    return acct_realloc_by_context(old, n, site, value);
}

/* Equals the C library's reallocarray, which calls the realloc of the process. */
ALLOCSITE_EXPORT void *__liballocsite_v1_reallocarray(void *old, size_t n, size_t size,
                                                      struct allocsite_site *site) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        acct_failed(BY_SITE(site));
        errno = ENOMEM;
        return NULL;
    }
    return acct_realloc(old, bytes, site);
}

ALLOCSITE_EXPORT void __liballocsite_v1_free(void *p, struct allocsite_site *site) {
    acct_free_block(p, site, true, FAMILY_MALLOC);
}

/* C23. Calls free, because most C libraries have no free_sized and the allocator knows the size. */
ALLOCSITE_EXPORT void __liballocsite_v1_free_sized(void *p, size_t n, struct allocsite_site *site) {
    (void)n;
    acct_free_block(p, site, true, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void __liballocsite_v1_free_aligned_sized(void *p, size_t align, size_t n,
                                                           struct allocsite_site *site) {
    (void)align;
    (void)n;
    acct_free_block(p, site, true, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_aligned_alloc(size_t align, size_t n, struct allocsite_site *site) {
    return acct_alloc(site, underlying.aligned_alloc(align, n), n, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_memalign(size_t align, size_t n, struct allocsite_site *site) {
    return acct_alloc(site, underlying.memalign(align, n), n, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_valloc(size_t n, struct allocsite_site *site) {
    return acct_alloc(site, underlying.valloc(n), n, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void *__liballocsite_v1_pvalloc(size_t n, struct allocsite_site *site) {
    return acct_alloc(site, underlying.pvalloc(n), n, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT int __liballocsite_v1_posix_memalign(void **p, size_t align, size_t n,
                                                      struct allocsite_site *site) {
    void *made = NULL;
    int error = underlying.posix_memalign(&made, align, n);
    return aligned_end(p, made, acct_alloc(site, error ? NULL : made, n, FAMILY_MALLOC), error);
}

/* ---- The sited calls of the C library's functions that duplicate a string. */

extern char *__strdup(const char *);
extern char *__strndup(const char *, size_t);

#ifdef ALLOCSITE_STATIC

/* A replaced strdup would break the C library, which calls it. */
bool strdup_is_known(void) {
    return true;
}

#else

#include <link.h>

/* Returns whether the function is the C library's, or the underlying allocator's, which does the same but
 * does not call malloc by name. */
static bool is_usual(const char *name) {
    const void *found = underlying_symbol(name);
    const struct link_map *object = found ? object_of(found) : NULL;
    const char *slash = object ? strrchr(object->l_name, '/') : NULL;
    return slash && (strncmp(slash, "/libc.so.", 9) == 0 || object == underlying_object());
}

static bool strdup_known, strdup_other;

STACK_CALL(bool, strdup_find, void) {
    int error = errno;
    runtime_start();
    strdup_known = is_usual("strdup") && is_usual("strndup");
    strdup_other = !strdup_known;
    errno = error;
    return strdup_known;
}

bool strdup_is_known(void) {
    return LIKELY(strdup_known) || (!strdup_other && strdup_find());
}

#endif

static inline __attribute__((always_inline)) char *strdup_sited(const char *text,
                                                                struct allocsite_site *site) {
    DUPLICATE(text, site, acct_alloc)
}

static inline char *duplicate_some(const char *text, size_t length, struct allocsite_site *site) {
    return string_copy(acct_alloc(site, underlying.malloc(length + 1), length + 1, FAMILY_MALLOC), text,
                       length);
}

/* ---- With a context as parameter. */

#define COUNT_BY_CONTEXT(site, p, bytes, family)                                                             \
    acct_alloc_by_context(&site, p, bytes, family, &of_site, OWN_FRAME)

ALLOCSITE_EXPORT char *__liballocsite_v1_strdup_by_context(const char *text, struct allocsite_site *site,
                                                           uint64_t value) {
    if (UNLIKELY(!strdup_is_known())) {
        context = value;
        return strdup(text);
    }
    KEEP(uint64_t, of_site, value + context_of_site(site));
    DUPLICATE(text, site, COUNT_BY_CONTEXT)
}

ALLOCSITE_EXPORT char *__liballocsite_v1_strndup_by_context(const char *text, size_t n,
                                                            struct allocsite_site *site, uint64_t value) {
    if (UNLIKELY(!strdup_is_known())) {
        context = value;
        return strndup(text, n);
    }
    KEEP(uint64_t, of_site, value + context_of_site(site));
    KEEP(struct allocsite_site *, kept_site, site);
    KEEP(const char *, kept_text, text);
    size_t length = strnlen(text, n);
    KEEP(size_t, bytes, length + 1);
    void *p = underlying.malloc(length + 1);
    p = COUNT_BY_CONTEXT(kept_site, p, bytes, FAMILY_MALLOC);
    return string_copy(p, kept_text, bytes - 1);
}

/* ---- With a stored context, or without contexts. */

ALLOCSITE_EXPORT char *__liballocsite_v1_strdup(const char *text, struct allocsite_site *site) {
    return LIKELY(strdup_is_known()) ? strdup_sited(text, site) : strdup(text);
}

ALLOCSITE_EXPORT char *__liballocsite_v1___strdup(const char *text, struct allocsite_site *site) {
    return LIKELY(strdup_is_known()) ? strdup_sited(text, site) : __strdup(text);
}

ALLOCSITE_EXPORT char *__liballocsite_v1_strndup(const char *text, size_t n, struct allocsite_site *site) {
    return LIKELY(strdup_is_known()) ? duplicate_some(text, strnlen(text, n), site) : strndup(text, n);
}

ALLOCSITE_EXPORT char *__liballocsite_v1___strndup(const char *text, size_t n, struct allocsite_site *site) {
    return LIKELY(strdup_is_known()) ? duplicate_some(text, strnlen(text, n), site) : __strndup(text, n);
}
