/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths as text: the file system is not asked. */
#ifndef ALLOCSITE_PATH_H
#define ALLOCSITE_PATH_H

#include <stddef.h>

/* Drops "." and empty components, and ".." with the component before it, in place. */
void path_clean(char *path);

/* Writes the path for people: clean, without directory if it lies below it (NULL: whole), cut to size. */
void path_show(char *text, size_t size, const char *path, const char *directory);

#endif
