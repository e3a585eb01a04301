/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tallies and extras of a process. */
#ifndef ALLOCSITE_DUMP_PROCESS_COUNTERS_H
#define ALLOCSITE_DUMP_PROCESS_COUNTERS_H

#include "dump/process/areas.h"

/* Copies them to their places in the image. Of each slot what went is read before what came, as profile.h has
 * it; and all of a slot within microseconds, for what comes in between stands as live. False: out of memory,
 * or not all of it is there. */
bool remote_counters_copy(const struct remote_areas *, struct remote_memory *, char *image);

#endif
