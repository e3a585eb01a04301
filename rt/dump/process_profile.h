/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a process writes. */
#ifndef ALLOCSITE_PROCESS_PROFILE_H
#define ALLOCSITE_PROCESS_PROFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a path of a process is seen from here, through /proc if need be. */
#define PROCESS_PATH_SIZE (PATH_MAX + 32)

/* Writes the path of the profile that the process has mapped. False: there is none that can be read. */
bool process_profile(unsigned pid, char path[PROCESS_PATH_SIZE]);

/* Whether the process, which wrote a profile of that program that began then, is known to have executed
 * another one since: it keeps its number and the time of its start. A profile that was copied or deleted is
 * still of the same program. */
bool process_has_executed(unsigned pid, const char *program, uint64_t begun);

#endif
