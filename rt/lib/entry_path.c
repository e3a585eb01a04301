/* The sited calls of the C library's functions that hand out a path. Into a buffer of the caller's they
 * allocate nothing for him, and what they need for themselves is their module's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "entry.h"

#include <stdlib.h>
#include <unistd.h>

extern char *__realpath_chk(const char *, char *, size_t);
extern char *__getcwd_chk(char *, size_t, size_t);

static char *handed(char *path) {
    if (!path)
        scope_call_failed();
    return path;
}

ENTRY(char *, realpath, const char *path, char *buffer) {
    if (buffer)
        return realpath(path, buffer);
    SCOPED(site);
    return handed(realpath(path, NULL));
}

ENTRY(char *, __realpath_chk, const char *path, char *buffer, size_t size) {
    if (buffer)
        return __realpath_chk(path, buffer, size);
    SCOPED(site);
    return handed(__realpath_chk(path, NULL, size));
}

ENTRY(char *, canonicalize_file_name, const char *path) {
    SCOPED(site);
    return handed(canonicalize_file_name(path));
}

ENTRY(char *, getcwd, char *buffer, size_t n) {
    if (buffer)
        return getcwd(buffer, n);
    SCOPED(site);
    return handed(getcwd(NULL, n));
}

ENTRY(char *, __getcwd_chk, char *buffer, size_t n, size_t size) {
    if (buffer)
        return __getcwd_chk(buffer, n, size);
    SCOPED(site);
    return handed(__getcwd_chk(NULL, n, size));
}

ENTRY0(char *, get_current_dir_name) {
    SCOPED(site);
    return handed(get_current_dir_name());
}
