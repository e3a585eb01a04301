/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process of its own for reading debug information: libdwarf can crash on what is damaged. */
#ifndef ALLOCSITE_DEBUG_CHILD_H
#define ALLOCSITE_DEBUG_CHILD_H

#include "reason.h"

/* Calls work there, limited in time and memory, and returns what it does, which must not be negative. -1: it
 * has not come to its end; *why says why. Buffers of the caller's must be flushed. */
int debug_child(int (*work)(void *context), void *context, struct reason *why);

/* What it does first. If it dies it leaves no core file, if it does not end it is stopped, and it does not
 * get all memory. */
void debug_child_limit(void);

#endif
