/* The sited calls of getline and its family, which allocate or grow the caller's buffer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"

#include <stdio.h>

static ssize_t got(ssize_t n) {
    if (n < 0)
        scope_call_failed();
    return n;
}

ENTRY(ssize_t, getline, char **line, size_t *size, FILE *stream) {
    SCOPED(site);
    return got(getline(line, size, stream));
}

ENTRY(ssize_t, getdelim, char **line, size_t *size, int delimiter, FILE *stream) {
    SCOPED(site);
    return got(getdelim(line, size, delimiter, stream));
}

ENTRY(ssize_t, __getdelim, char **line, size_t *size, int delimiter, FILE *stream) {
    SCOPED(site);
    return got(__getdelim(line, size, delimiter, stream));
}
