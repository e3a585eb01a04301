/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths as text: the file system is not asked. */
#ifndef ALLOCSITE_PATH_H
#define ALLOCSITE_PATH_H

/* Drops "." and empty components, and ".." with the component before it, in place. */
void path_clean(char *path);

#endif
