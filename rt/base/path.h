/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths as text, without access to the file system. */
#ifndef ALLOCSITE_BASE_PATH_H
#define ALLOCSITE_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Removes "." and empty components, and ".." with the component before it, in place. */
void path_clean(char *path);

/* Writes the path for people: clean, cut to size, relative to directory (NULL: none) if below it. */
void path_show(char *text, size_t size, const char *path, const char *directory);

/* Returns the part after the last slash; NULL for NULL. */
const char *path_base(const char *path);

/* Returns whether it is a header of the system or of the C++ standard library. */
bool path_is_of_system(const char *path);

/* Returns whether the file is glibc's libc.so or its dynamic loader. */
bool path_is_c_library(const char *path);

/* Appends .NUMBER. Returns false, and leaves path unchanged, if it does not fit in size bytes. */
bool path_add_number(char *path, size_t size, uint64_t number);

/* The values of the % patterns of a path. */
struct path_names {
    uint64_t pid;
    const char *program, *host; /* program: a path, of which %e is the last component */
};

/* Expands %p to the pid, %e to the program's name, %h to the host, %% to a percent sign. Returns false if the
 * result does not fit or the pattern has another letter after a %. */
bool path_expand(char *path, size_t size, const char *pattern, const struct path_names *);

#endif
