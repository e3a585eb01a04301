/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sited calls of the scandir family. Blocks that their callbacks allocate without a site of their own are
 * the call's, as all that such a function allocates on the way. */
#define _GNU_SOURCE
#include "lib/base/local.h"
#include "lib/bill/scope.h"
#include "lib/calls/entry.h"

#include <dirent.h>

static int scanned(int n) {
    if (n < 0)
        scope_call_failed();
    return n;
}

/* The C library has four names for two functions. */
#define SCANS(suffix)                                                                                        \
    typedef int filter##suffix(const struct dirent##suffix *);                                               \
    typedef int compare##suffix(const struct dirent##suffix **, const struct dirent##suffix **);             \
    ENTRY(int, scandir##suffix, const char *path, struct dirent##suffix ***list, filter##suffix *filter,     \
          compare##suffix *compare) {                                                                        \
        SCOPED(site);                                                                                        \
        return scanned(scandir##suffix(path, list, filter, compare));                                        \
    }                                                                                                        \
    ENTRY(int, scandirat##suffix, int directory, const char *path, struct dirent##suffix ***list,            \
          filter##suffix *filter, compare##suffix *compare) {                                                \
        SCOPED(site);                                                                                        \
        return scanned(scandirat##suffix(directory, path, list, filter, compare));                           \
    }

SCANS()
SCANS(64)
