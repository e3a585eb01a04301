/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a profile goes. */
#ifndef ALLOCSITE_LIB_COLLECT_PROFILE_PATH_H
#define ALLOCSITE_LIB_COLLECT_PROFILE_PATH_H

#include "profile.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Where %p does not tell processes apart, a path gets a number, up to this. */
#define PATH_NUMBERS_MOST 10000

/* Never through a symbolic link, and not a point where a thread can be cancelled. -1 with errno. */
int profile_open_at(const char *path, int flags);

/* Whether a profile is there. */
bool profile_is_at(const char *path);

/* Whether the pattern has the number of the process. */
bool profile_names_process(const char *pattern);

/* A name beside path, in PATH_MAX bytes, that no other file has. False: it is too long. */
bool profile_new_name(char *name, const char *path);

/* Gives the file of that name the path if nothing has it. False with errno. */
bool profile_give_name(const char *name, const char *path);

/* A file that has no name of its own yet. */
struct new_profile {
    int fd;
    char name[PATH_MAX];
};

/* Creates the file of a profile that begins with header, for its owner alone, in the directory of path, open
 * for reading and writing. False: *why says why. */
bool profile_make(struct new_profile *, const char *path, const struct profile_header *, const char **why);

/* Gives it the path, which has room for size bytes and is then what it became.
 *
 * A profile there whose process has ended is replaced, in one step, if may_replace. That of a process that
 * runs still or of which that cannot be told, or of what this process executed before, stays: then a number
 * is added to path. A file that is not a profile is never touched. False: *why says why; the file is gone,
 * and its descriptor closed. */
bool profile_settle(struct new_profile *, char *path, size_t size, const struct profile_header *,
                    bool may_replace, const char **why);

/* Removes it instead. */
void profile_discard(struct new_profile *);

#endif
