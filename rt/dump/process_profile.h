/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a process writes. */
#ifndef ALLOCSITE_PROCESS_PROFILE_H
#define ALLOCSITE_PROCESS_PROFILE_H

#include <limits.h>
#include <stdbool.h>

/* Where a path of a process is seen from here, through /proc if need be. */
#define PROCESS_PATH_SIZE (PATH_MAX + 32)

/* Writes the path of the profile that the process has mapped. False: there is none that can be read. */
bool process_profile(unsigned pid, char path[PROCESS_PATH_SIZE]);

#endif
