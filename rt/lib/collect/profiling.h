/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile of this process, if one is wanted. */
#ifndef ALLOCSITE_LIB_COLLECT_PROFILING_H
#define ALLOCSITE_LIB_COLLECT_PROFILING_H

#include "model/report.h"

#include <stdbool.h>
#include <stdint.h>

/* Not NULL: a profile is wanted; *false: this is a forked child that has none yet. */
extern bool *profiling_here __attribute__((visibility("hidden")));

/* From here on all is counted in a file. pattern: of its path, which has to stay. False: there is none, which
 * has been told. */
bool profiling_begin(const char *pattern);

/* The same at the program's call, with a pattern that may go. 0, or EIO when that has been told, and nothing
 * has changed; ENOMEM. */
int profiling_begin_late(const char *pattern);

/* A file for a forked child, before it counts anything. */
void profiling_begin_child(void);

/* The process is about to end by itself, or, with no ending, was said to. */
void profiling_end(void);
void profiling_note(enum profile_ending, int status);

/* It is about to execute another program; and with what that returned: it could not. */
enum profile_ending profiling_execute(void);
void profiling_go_on(enum profile_ending before);

/* What is known of the run. is_end: it ends now. */
struct report_run profiling_run(bool is_end);

/* Writes what was counted so far as a profile, to a descriptor or to the path that a pattern stands for. 0 or
 * errno. */
int profiling_copy(int fd);
int profiling_copy_to(const char *pattern);

#endif
