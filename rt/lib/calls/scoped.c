/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sited calls of the C library's functions that allocate on the way to what they give. */
#define _GNU_SOURCE
#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/bill/scope.h"
#include "lib/calls/entry.h"

#include <dirent.h>
#include <execinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- The sited calls of the C library's functions that hand out a path. Into a buffer of the caller's they
 * allocate nothing for him, and what they need for themselves is their module's. */

extern char *__realpath_chk(const char *, char *, size_t);
extern char *__getcwd_chk(char *, size_t, size_t);

ENTRY(char *, realpath, const char *path, char *buffer) {
    if (buffer)
        return realpath(path, buffer);
    SCOPED(site);
    return scope_handed(realpath(path, NULL));
}

ENTRY(char *, __realpath_chk, const char *path, char *buffer, size_t size) {
    if (buffer)
        return __realpath_chk(path, buffer, size);
    SCOPED(site);
    return scope_handed(__realpath_chk(path, NULL, size));
}

ENTRY(char *, canonicalize_file_name, const char *path) {
    SCOPED(site);
    return scope_handed(canonicalize_file_name(path));
}

ENTRY(char *, getcwd, char *buffer, size_t n) {
    if (buffer)
        return getcwd(buffer, n);
    SCOPED(site);
    return scope_handed(getcwd(NULL, n));
}

ENTRY(char *, __getcwd_chk, char *buffer, size_t n, size_t size) {
    if (buffer)
        return __getcwd_chk(buffer, n, size);
    SCOPED(site);
    return scope_handed(__getcwd_chk(NULL, n, size));
}

ENTRY0(char *, get_current_dir_name) {
    SCOPED(site);
    return scope_handed(get_current_dir_name());
}

/* ---- The sited calls of the asprintf family. A variadic entry takes the site first. */

extern int __vasprintf_chk(char **, int flag, const char *format, va_list);

ENTRY(int, vasprintf, char **text, const char *format, va_list arguments) {
    SCOPED(site);
    return (int)scope_got(vasprintf(text, format, arguments));
}

ENTRY(int, __vasprintf_chk, char **text, int flag, const char *format, va_list arguments) {
    SCOPED(site);
    return (int)scope_got(__vasprintf_chk(text, flag, format, arguments));
}

ALLOCSITE_EXPORT int ALLOCSITE_ENTRY(asprintf)(struct allocsite_site *, char **, const char *, ...);
ALLOCSITE_EXPORT int ALLOCSITE_ENTRY(__asprintf_chk)(struct allocsite_site *, char **, int, const char *,
                                                     ...);

int ALLOCSITE_ENTRY(asprintf)(struct allocsite_site *site, char **text, const char *format, ...) {
    SCOPED(site);
    va_list arguments;
    va_start(arguments, format);
    int n = (int)scope_got(vasprintf(text, format, arguments));
    va_end(arguments);
    return n;
}

int ALLOCSITE_ENTRY(__asprintf_chk)(struct allocsite_site *site, char **text, int flag, const char *format,
                                    ...) {
    SCOPED(site);
    va_list arguments;
    va_start(arguments, format);
    int n = (int)scope_got(__vasprintf_chk(text, flag, format, arguments));
    va_end(arguments);
    return n;
}

/* ---- The sited calls of getline and its family, which allocate or grow the caller's buffer. */

typedef ssize_t read_line(char **line, size_t *size, int delimiter, FILE *stream);

static COLD ssize_t read_within(read_line *function, char **line, size_t *size, int delimiter, FILE *stream,
                                struct allocsite_site *site) {
    SCOPED(site);
    return scope_got(function(line, size, delimiter, stream));
}

static inline void leave(const bool *entered) {
    struct scope around;
    around.active = !*entered;
    scope_close(&around);
}

/* Most calls allocate nothing, and what they cost is then the scope: where there is none around it, it is
 * entered with all arguments still in their registers. */
static inline ssize_t read_one(read_line *function, char **line, size_t *size, int delimiter, FILE *stream,
                               struct allocsite_site *site) {
    if (!scope_is_ready(site))
        return read_within(function, line, size, delimiter, stream, site);
    __attribute__((cleanup(leave))) const bool entered = true;
    char here = 0;
    scope_enter(site, &here);
    return scope_got(function(line, size, delimiter, stream));
}

ENTRY(ssize_t, getline, char **line, size_t *size, FILE *stream) {
    return read_one(__getdelim, line, size, '\n', stream, site);
}

ENTRY(ssize_t, getdelim, char **line, size_t *size, int delimiter, FILE *stream) {
    return read_one(getdelim, line, size, delimiter, stream, site);
}

ENTRY(ssize_t, __getdelim, char **line, size_t *size, int delimiter, FILE *stream) {
    return read_one(__getdelim, line, size, delimiter, stream, site);
}

/* ---- The sited calls of the scandir family. Blocks that their callbacks allocate without a site of their
 * own are the call's, as all that such a function allocates on the way. */

/* The C library has four names for two functions. */
#define SCANS(suffix)                                                                                        \
    typedef int filter##suffix(const struct dirent##suffix *);                                               \
    typedef int compare##suffix(const struct dirent##suffix **, const struct dirent##suffix **);             \
    ENTRY(int, scandir##suffix, const char *path, struct dirent##suffix ***list, filter##suffix *filter,     \
          compare##suffix *compare) {                                                                        \
        SCOPED(site);                                                                                        \
        return (int)scope_got(scandir##suffix(path, list, filter, compare));                                 \
    }                                                                                                        \
    ENTRY(int, scandirat##suffix, int directory, const char *path, struct dirent##suffix ***list,            \
          filter##suffix *filter, compare##suffix *compare) {                                                \
        SCOPED(site);                                                                                        \
        return (int)scope_got(scandirat##suffix(directory, path, list, filter, compare));                    \
    }

SCANS()
SCANS(64)

/* ---- The sited call of backtrace_symbols. */

ENTRY(char **, backtrace_symbols, void *const *addresses, int n) {
    SCOPED(site);
    return scope_handed(backtrace_symbols(addresses, n));
}
