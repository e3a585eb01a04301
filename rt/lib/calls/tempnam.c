/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sited call of tempnam: alone, for whoever refers to it is warned by the linker. */
#define _GNU_SOURCE
#include "lib/calls/entry.h"
#include "lib/paths/scope.h"

#ifdef ALLOCSITE_STATIC

extern char *tempnam(const char *, const char *);
#define real_tempnam tempnam

#else

#include "lib/heap/next.h"

static char *real_tempnam(const char *directory, const char *prefix) {
    static char *(*real)(const char *, const char *);
    if (!real)
        real = (char *(*)(const char *, const char *))next_symbol("tempnam");
    return real(directory, prefix);
}

#endif

ALLOCSITE_EXPORT char *__liballocsite_v1_tempnam(const char *directory, const char *prefix,
                                                 struct allocsite_site *site) {
    SCOPED(site);
    return scope_handed(real_tempnam(directory, prefix));
}
