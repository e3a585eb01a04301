/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile of this process, if it writes one. */
#ifndef ALLOCSITE_LIB_COLLECT_PROFILING_H
#define ALLOCSITE_LIB_COLLECT_PROFILING_H

#include "profile.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *profiling_here is false in a forked child that still maps its parent's file. The pointer is NULL before
 * counting begins, or if there is no memory. */
extern bool *profiling_here __attribute__((visibility("hidden")));

/* Starts counting in a file: the profile at the path that pattern expands to, or a memfd if pattern is NULL
 * or the profile cannot be made (which is reported). The pattern must stay valid. */
void profiling_begin(const char *pattern);

/* Moves the counters to a profile when the program asks for one; the pattern may be freed afterwards. Returns
 * 0; EIO if that fails, which is reported and changes nothing; or ENOMEM. */
int profiling_begin_late(const char *pattern);

/* Returns whether this process or its parent was asked to write a profile. */
bool profiling_is_wanted(void);

/* Opens a file for a forked child, before the child counts anything. */
void profiling_begin_child(void);

/* The process is about to end by itself. profiling_note records the way it ends. */
void profiling_end(void);
void profiling_note(enum profile_ending, int status);

/* Like profiling_note, for a call of _exit. */
void profiling_note_at_once(int status);

/* The process is about to execute another program. If that fails, profiling_go_on takes the result of
 * profiling_execute and undoes it. */
enum profile_ending profiling_execute(void);
void profiling_go_on(enum profile_ending before);

/* Write a profile of everything counted so far to a descriptor or a pattern's path. Return 0 or errno. */
int profiling_copy(int fd);
int profiling_copy_to(const char *pattern);

/* ---- The path of a profile. */

/* The highest number that is added to a path without %p to keep processes apart. */
#define PATH_NUMBERS_MOST 10000

/* Opens a file, never through a symbolic link; not a cancellation point. Returns -1 with errno on failure. */
int profile_open_at(const char *path, int flags);

/* Returns whether the file is a profile. */
bool profile_is_at(const char *path);

/* Returns whether the pattern contains the process id. */
bool profile_names_process(const char *pattern);

/* Writes an unused name in the directory of path, at most PATH_MAX bytes. Returns false if it is too long. */
bool profile_new_name(char *name, const char *path);

/* Renames the file if the path is free. Returns false with errno otherwise. */
bool profile_give_name(const char *name, const char *path);

/* A file with a temporary name. */
struct new_profile {
    int fd;
    char name[PATH_MAX];
};

/* Creates the file of a profile that begins with header, in the directory of path, open for reading and
 * writing by its owner alone. Returns false with the reason in *why. */
bool profile_make(struct new_profile *, const char *path, const struct profile_header *, const char **why);

/* Renames the file to path, a buffer of size bytes that then holds the final path.
 *
 * With may_replace it replaces, in one step, an existing profile whose process has ended. It keeps a profile
 * whose process runs, or may run, or executed this program; the path then gets a number. It never touches a
 * file that is not a profile. On failure it returns false with the reason in *why, and the new file is
 * removed and closed. */
bool profile_settle(struct new_profile *, char *path, size_t size, const struct profile_header *,
                    bool may_replace, const char **why);

/* Removes and closes the file. */
void profile_discard(struct new_profile *);

#endif
