/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file that takes its place only when it is whole. */
#ifndef ALLOCSITE_NEW_FILE_H
#define ALLOCSITE_NEW_FILE_H

#include "reason.h"

struct new_file {
    int fd; /* empty, open for writing */
    const char *path;
    char *temporary; /* its name until then, in the same folder */
};

/* What is there already may be replaced if it is a regular file. The new one can be read by its owner only.
 * False: *why says why, and there is nothing to end. */
bool new_file_open(struct new_file *, const char *path, struct reason *why);

/* error: of writing; 0: puts it in its place. False: *why says why, and what was there before still is. */
bool new_file_end(struct new_file *, int error, struct reason *why);

#endif
