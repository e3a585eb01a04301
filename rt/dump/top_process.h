/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a process writes. */
#ifndef ALLOCSITE_TOP_PROCESS_H
#define ALLOCSITE_TOP_PROCESS_H

#include "reason.h"

#include <limits.h>

/* Where a path of a process is seen from here, through /proc if need be. */
#define TOP_PATH_SIZE (PATH_MAX + 32)

/* Writes the path of the profile that the process has mapped. False: *why says why there is none. */
bool top_profile_of(unsigned pid, char path[TOP_PATH_SIZE], struct reason *why);

#endif
