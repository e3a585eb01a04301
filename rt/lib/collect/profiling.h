/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile of this process, if one is wanted. */
#ifndef ALLOCSITE_LIB_COLLECT_PROFILING_H
#define ALLOCSITE_LIB_COLLECT_PROFILING_H

#include "profile.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *false: this is a forked child that has not left its parent's file. NULL: counting has not begun, or there
 * is no memory. */
extern bool *profiling_here __attribute__((visibility("hidden")));

/* From here on all is counted in a file: the profile at the path that pattern stands for, which has to stay,
 * or a memfd if there is no pattern or the profile cannot be made, which has been told. */
void profiling_begin(const char *pattern);

/* Moves to a profile at the program's call, with a pattern that may go. 0, or EIO when it has been told why
 * that fails, and nothing has changed; ENOMEM. */
int profiling_begin_late(const char *pattern);

/* Whether there is a profile, in this process or its parent. */
bool profiling_is_wanted(void);

/* A file for a forked child, before it counts anything. */
void profiling_begin_child(void);

/* The process is about to end by itself, or, with no ending, was said to. */
void profiling_end(void);
void profiling_note(enum profile_ending, int status);

/* The same of a call of _exit. */
void profiling_note_at_once(int status);

/* It is about to execute another program; and with what that returned: it could not. */
enum profile_ending profiling_execute(void);
void profiling_go_on(enum profile_ending before);

/* Writes what was counted so far as a profile, to a descriptor or to the path that a pattern stands for. 0 or
 * errno. */
int profiling_copy(int fd);
int profiling_copy_to(const char *pattern);

/* ---- Where a profile goes. */

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
