/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths as text: the file system is not asked. */
#ifndef ALLOCSITE_BASE_PATH_H
#define ALLOCSITE_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Drops "." and empty components, and ".." with the component before it, in place. */
void path_clean(char *path);

/* Writes the path for people: clean, without directory if it lies below it (NULL: whole), cut to size. */
void path_show(char *text, size_t size, const char *path, const char *directory);

/* Behind the last slash; NULL for NULL. */
const char *path_base(const char *path);

/* Whether it is a header where systems have theirs, or of the C++ standard library. */
bool path_is_of_system(const char *path);

/* Returns whether the file is glibc's libc.so or its dynamic loader. */
bool path_is_c_library(const char *path);

/* Appends .NUMBER. False: it does not fit in size bytes, and path is as it was. */
bool path_add_number(char *path, size_t size, uint64_t number);

/* The values of the % patterns of a path. */
struct path_names {
    uint64_t pid;
    const char *program, *host; /* program: its path; the name is its last component */
};

/* Writes pattern with %p pid, %e program name, %h host, %% percent. False: it does not fit, or has another
 * letter behind a %. */
bool path_expand(char *path, size_t size, const char *pattern, const struct path_names *);

#endif
