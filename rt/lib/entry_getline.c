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

typedef ssize_t read_line(char **line, size_t *size, int delimiter, FILE *stream);

static COLD ssize_t read_within(read_line *function, char **line, size_t *size, int delimiter, FILE *stream,
                                struct allocsite_site *site) {
    SCOPED(site);
    return got(function(line, size, delimiter, stream));
}

static inline void leave(const bool *entered) {
    struct scope around;
    around.active = !*entered;
    scope_close(&around);
}

/* Most calls allocate nothing, and what they cost is then the scope: where there is none around it, it is
 * entered with all arguments still in their registers. */
static inline ssize_t read(read_line *function, char **line, size_t *size, int delimiter, FILE *stream,
                           struct allocsite_site *site) {
    if (!scope_is_ready(site))
        return read_within(function, line, size, delimiter, stream, site);
    __attribute__((cleanup(leave))) const bool entered = true;
    scope_enter(site->key >> KEY_SHIFT);
    return got(function(line, size, delimiter, stream));
}

ENTRY(ssize_t, getline, char **line, size_t *size, FILE *stream) {
    return read(__getdelim, line, size, '\n', stream, site);
}

ENTRY(ssize_t, getdelim, char **line, size_t *size, int delimiter, FILE *stream) {
    return read(getdelim, line, size, delimiter, stream, site);
}

ENTRY(ssize_t, __getdelim, char **line, size_t *size, int delimiter, FILE *stream) {
    return read(__getdelim, line, size, delimiter, stream, site);
}
