/* The sited calls of the asprintf family. A variadic entry takes the site first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"

#include <stdarg.h>
#include <stdio.h>

extern int __vasprintf_chk(char **, int flag, const char *format, va_list);

static int printed(int n) {
    if (n < 0)
        scope_call_failed();
    return n;
}

ENTRY(int, vasprintf, char **text, const char *format, va_list arguments) {
    SCOPED(site);
    return printed(vasprintf(text, format, arguments));
}

ENTRY(int, __vasprintf_chk, char **text, int flag, const char *format, va_list arguments) {
    SCOPED(site);
    return printed(__vasprintf_chk(text, flag, format, arguments));
}

ALLOCSITE_EXPORT int ALLOCSITE_ENTRY(asprintf)(struct allocsite_site *, char **, const char *, ...);
ALLOCSITE_EXPORT int ALLOCSITE_ENTRY(__asprintf_chk)(struct allocsite_site *, char **, int, const char *,
                                                     ...);

int ALLOCSITE_ENTRY(asprintf)(struct allocsite_site *site, char **text, const char *format, ...) {
    SCOPED(site);
    va_list arguments;
    va_start(arguments, format);
    int n = printed(vasprintf(text, format, arguments));
    va_end(arguments);
    return n;
}

int ALLOCSITE_ENTRY(__asprintf_chk)(struct allocsite_site *site, char **text, int flag, const char *format,
                                    ...) {
    SCOPED(site);
    va_list arguments;
    va_start(arguments, format);
    int n = printed(__vasprintf_chk(text, flag, format, arguments));
    va_end(arguments);
    return n;
}
