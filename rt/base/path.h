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

/* Appends .NUMBER. False: it does not fit in size bytes, and path is as it was. */
bool path_add_number(char *path, size_t size, uint64_t number);

#endif
