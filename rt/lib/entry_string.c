/* The sited calls of the C library's functions that duplicate a string.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"
#include "own.h"

#include <string.h>
#include <wchar.h>

extern char *__strdup(const char *);
extern char *__strndup(const char *, size_t);

#ifdef ALLOCSITE_STATIC

bool strdup_is_known(void) {
    return false; /* it cannot be told whose it is */
}

#else

#include <link.h>

static bool is_library_function(const char *name) {
    const void *found = next_symbol(name);
    const struct link_map *object = found ? object_of(found) : NULL;
    const char *slash = object ? strrchr(object->l_name, '/') : NULL;
    return slash && strncmp(slash, "/libc.so.", 9) == 0;
}

bool strdup_is_known(void) {
    static enum { UNKNOWN, KNOWN, OTHER } state;
    if (UNLIKELY(state == UNKNOWN))
        state = is_library_function("strdup") && is_library_function("strndup") ? KNOWN : OTHER;
    return state == KNOWN;
}

#endif

static void *handed(void *block) {
    if (!block)
        scope_call_failed();
    return block;
}

static inline char *duplicate(const char *text, size_t length, struct allocsite_site *site) {
    return string_copy(own_alloc(site, next.malloc(length + 1), length + 1, FAMILY_MALLOC), text, length);
}

typedef char *copy_all(const char *);
typedef char *copy_some(const char *, size_t);

/* In functions of their own, for they need more registers than what is usual. */
static COLD char *copied_all(copy_all *function, const char *text, struct allocsite_site *site) {
    SCOPED(site);
    return handed(function(text));
}

static COLD char *copied_some(copy_some *function, const char *text, size_t n, struct allocsite_site *site) {
    SCOPED(site);
    return handed(function(text, n));
}

ENTRY(char *, strdup, const char *text) {
    return LIKELY(strdup_is_known()) ? duplicate(text, strlen(text), site) : copied_all(strdup, text, site);
}

ENTRY(char *, __strdup, const char *text) {
    return LIKELY(strdup_is_known()) ? duplicate(text, strlen(text), site) : copied_all(__strdup, text, site);
}

ENTRY(char *, strndup, const char *text, size_t n) {
    return LIKELY(strdup_is_known()) ? duplicate(text, strnlen(text, n), site)
                                     : copied_some(strndup, text, n, site);
}

ENTRY(char *, __strndup, const char *text, size_t n) {
    return LIKELY(strdup_is_known()) ? duplicate(text, strnlen(text, n), site)
                                     : copied_some(__strndup, text, n, site);
}

ENTRY(wchar_t *, wcsdup, const wchar_t *text) {
    SCOPED(site);
    return handed(wcsdup(text));
}
