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

/* The C library's own strdup is known to be a malloc and a copy, and to be done here takes a third of the
 * instructions of a scope around it. Another one's has to be called. */
#ifdef ALLOCSITE_STATIC

static bool is_known(void) {
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

static bool is_known(void) {
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
    char *copy = own_alloc(site, next.malloc(length + 1), length + 1, FAMILY_MALLOC);
    if (LIKELY(copy != NULL)) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

ENTRY(char *, strdup, const char *text) {
    if (LIKELY(is_known()))
        return duplicate(text, strlen(text), site);
    SCOPED(site);
    return handed(strdup(text));
}

ENTRY(char *, __strdup, const char *text) {
    if (LIKELY(is_known()))
        return duplicate(text, strlen(text), site);
    SCOPED(site);
    return handed(__strdup(text));
}

ENTRY(char *, strndup, const char *text, size_t n) {
    if (LIKELY(is_known()))
        return duplicate(text, strnlen(text, n), site);
    SCOPED(site);
    return handed(strndup(text, n));
}

ENTRY(char *, __strndup, const char *text, size_t n) {
    if (LIKELY(is_known()))
        return duplicate(text, strnlen(text, n), site);
    SCOPED(site);
    return handed(__strndup(text, n));
}

ENTRY(wchar_t *, wcsdup, const wchar_t *text) {
    SCOPED(site);
    return handed(wcsdup(text));
}
