/* The sited calls of the C library's functions that duplicate a string.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"

#include <string.h>
#include <wchar.h>

extern char *__strdup(const char *);
extern char *__strndup(const char *, size_t);

static void *handed(void *block) {
    if (!block)
        scope_call_failed();
    return block;
}

ENTRY(char *, strdup, const char *text) {
    SCOPED(site);
    return handed(strdup(text));
}

ENTRY(char *, __strdup, const char *text) {
    SCOPED(site);
    return handed(__strdup(text));
}

ENTRY(char *, strndup, const char *text, size_t n) {
    SCOPED(site);
    return handed(strndup(text, n));
}

ENTRY(char *, __strndup, const char *text, size_t n) {
    SCOPED(site);
    return handed(__strndup(text, n));
}

ENTRY(wchar_t *, wcsdup, const wchar_t *text) {
    SCOPED(site);
    return handed(wcsdup(text));
}
