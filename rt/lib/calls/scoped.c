/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sited calls of the C library's functions that allocate on the way to what they give. */
#define _GNU_SOURCE
#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/calls/entry.h"
#include "lib/paths/scope.h"

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

ALLOCSITE_EXPORT char *__liballocsite_v1_realpath(const char *path, char *buffer,
                                                  struct allocsite_site *site) {
    if (buffer)
        return realpath(path, buffer);
    SCOPED(site);
    return scope_handed(realpath(path, NULL));
}

ALLOCSITE_EXPORT char *__liballocsite_v1___realpath_chk(const char *path, char *buffer, size_t size,
                                                        struct allocsite_site *site) {
    if (buffer)
        return __realpath_chk(path, buffer, size);
    SCOPED(site);
    return scope_handed(__realpath_chk(path, NULL, size));
}

ALLOCSITE_EXPORT char *__liballocsite_v1_canonicalize_file_name(const char *path,
                                                                struct allocsite_site *site) {
    SCOPED(site);
    return scope_handed(canonicalize_file_name(path));
}

ALLOCSITE_EXPORT char *__liballocsite_v1_getcwd(char *buffer, size_t n, struct allocsite_site *site) {
    if (buffer)
        return getcwd(buffer, n);
    SCOPED(site);
    return scope_handed(getcwd(NULL, n));
}

ALLOCSITE_EXPORT char *__liballocsite_v1___getcwd_chk(char *buffer, size_t n, size_t size,
                                                      struct allocsite_site *site) {
    if (buffer)
        return __getcwd_chk(buffer, n, size);
    SCOPED(site);
    return scope_handed(__getcwd_chk(NULL, n, size));
}

ALLOCSITE_EXPORT char *__liballocsite_v1_get_current_dir_name(struct allocsite_site *site) {
    SCOPED(site);
    return scope_handed(get_current_dir_name());
}

/* ---- The sited calls of the asprintf family. A variadic entry takes the site first. */

extern int __vasprintf_chk(char **, int flag, const char *format, va_list);

ALLOCSITE_EXPORT int __liballocsite_v1_vasprintf(char **text, const char *format, va_list arguments,
                                                 struct allocsite_site *site) {
    SCOPED(site);
    return (int)scope_got(vasprintf(text, format, arguments));
}

ALLOCSITE_EXPORT int __liballocsite_v1___vasprintf_chk(char **text, int flag, const char *format,
                                                       va_list arguments, struct allocsite_site *site) {
    SCOPED(site);
    return (int)scope_got(__vasprintf_chk(text, flag, format, arguments));
}

ALLOCSITE_EXPORT int __liballocsite_v1_asprintf(struct allocsite_site *site, char **text, const char *format,
                                                ...) {
    SCOPED(site);
    va_list arguments;
    va_start(arguments, format);
    int n = (int)scope_got(vasprintf(text, format, arguments));
    va_end(arguments);
    return n;
}

ALLOCSITE_EXPORT int __liballocsite_v1___asprintf_chk(struct allocsite_site *site, char **text, int flag,
                                                      const char *format, ...) {
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

ALLOCSITE_EXPORT ssize_t __liballocsite_v1_getline(char **line, size_t *size, FILE *stream,
                                                   struct allocsite_site *site) {
    return read_one(__getdelim, line, size, '\n', stream, site);
}

ALLOCSITE_EXPORT ssize_t __liballocsite_v1_getdelim(char **line, size_t *size, int delimiter, FILE *stream,
                                                    struct allocsite_site *site) {
    return read_one(getdelim, line, size, delimiter, stream, site);
}

ALLOCSITE_EXPORT ssize_t __liballocsite_v1___getdelim(char **line, size_t *size, int delimiter, FILE *stream,
                                                      struct allocsite_site *site) {
    return read_one(__getdelim, line, size, delimiter, stream, site);
}

/* ---- The sited calls of the scandir family. Blocks that their callbacks allocate without a site of their
 * own are the call's, as all that such a function allocates on the way. */

/* The C library has four names for two functions. */
typedef int filter(const struct dirent *);
typedef int compare(const struct dirent **, const struct dirent **);

ALLOCSITE_EXPORT int __liballocsite_v1_scandir(const char *path, struct dirent ***list, filter *filter,
                                               compare *compare, struct allocsite_site *site) {
    SCOPED(site);
    return (int)scope_got(scandir(path, list, filter, compare));
}

ALLOCSITE_EXPORT int __liballocsite_v1_scandirat(int directory, const char *path, struct dirent ***list,
                                                 filter *filter, compare *compare,
                                                 struct allocsite_site *site) {
    SCOPED(site);
    return (int)scope_got(scandirat(directory, path, list, filter, compare));
}

typedef int filter64(const struct dirent64 *);
typedef int compare64(const struct dirent64 **, const struct dirent64 **);

ALLOCSITE_EXPORT int __liballocsite_v1_scandir64(const char *path, struct dirent64 ***list, filter64 *filter,
                                                 compare64 *compare, struct allocsite_site *site) {
    SCOPED(site);
    return (int)scope_got(scandir64(path, list, filter, compare));
}

ALLOCSITE_EXPORT int __liballocsite_v1_scandirat64(int directory, const char *path, struct dirent64 ***list,
                                                   filter64 *filter, compare64 *compare,
                                                   struct allocsite_site *site) {
    SCOPED(site);
    return (int)scope_got(scandirat64(directory, path, list, filter, compare));
}

/* ---- The sited call of backtrace_symbols. */

ALLOCSITE_EXPORT char **__liballocsite_v1_backtrace_symbols(void *const *addresses, int n,
                                                            struct allocsite_site *site) {
    SCOPED(site);
    return scope_handed(backtrace_symbols(addresses, n));
}
