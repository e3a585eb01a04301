/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of its own for reading debug information: libdwarf can crash on what is damaged. */
#ifndef ALLOCSITE_DEBUG_CHILD_H
#define ALLOCSITE_DEBUG_CHILD_H

#include "reason.h"

#include <sys/types.h>

/* Calls work there, limited in time and memory, and returns what it does, which must not be negative. -1: it
 * has not come to its end; *why says why. Buffers of the caller's must be flushed. */
int debug_child(int (*work)(void *context), void *context, struct reason *why);

/* The same in parts, for who listens to it meanwhile. Returns 0 there, its number here; -1: *why says why. */
pid_t debug_child_begin(struct reason *why);
int debug_child_end(pid_t child, struct reason *why);

#endif
