/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the process itself has to find out for a report, beside its counters. */
#ifndef ALLOCSITE_LIB_COLLECT_COLLECT_H
#define ALLOCSITE_LIB_COLLECT_COLLECT_H

#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Looks for the holes that only a look shows, and tells the header of all. Takes a lock of the dynamic
 * loader. */
void collect_holes(struct profile_header *);

/* The same, and all else that a report at the end of the process needs and that only the process knows: which
 * blocks are inherited, and torn. */
void collect_end(struct profile_header *);

/* ---- Blocks that a forked child has and did not allocate itself (inherited.c). */

/* Live blocks of this process, in which nothing has been counted yet, are what it has inherited. False: the
 * hole is set. */
bool slots_inherit_heap(void);

/* Whether that was done; else only what a child has at its end tells. */
bool slots_know_inherited(void);

/* In a forked child that was not told at its start what it inherited: finds that out, from what is live and
 * what was counted. To be called before sums that are to be right there; does nothing elsewhere. */
void sums_know_inherited(void);

/* Counts from zero again: blocks that are live then are inherited, as by a forked child. Threads may count on
 * meanwhile. */
void counters_reset(void);

#endif
