/* Where a profile goes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_PROFILE_PATH_H
#define ALLOCSITE_PROFILE_PATH_H

#include "../profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Creates the file of a profile that begins with header, for its owner alone, and returns its descriptor,
 * open for reading and writing; -1: *why says why, path is what was tried.
 *
 * path, which has room for size bytes, is the one that is wanted. A profile there whose process has ended is
 * replaced, in one step. That of a process that runs still, or of what this process executed before, stays:
 * then a number is added to path. What is not a profile is never touched. */
int profile_create(char *path, size_t size, const struct profile_header *, const char **why);

#endif
