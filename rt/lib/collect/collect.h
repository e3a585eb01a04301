/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts that only the process itself can find out for a report, apart from its counters. */
#ifndef ALLOCSITE_LIB_COLLECT_COLLECT_H
#define ALLOCSITE_LIB_COLLECT_COLLECT_H

#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Sets the gaps that the loaded modules show. Takes the dynamic loader's lock. */
void collect_look(void);

/* Checks for gaps that only a check reveals, and writes all gaps to the header. Does collect_look if it
 * cannot wait for ever. */
void collect_gaps(struct profile_header *);

/* Like collect_gaps, and collects everything else that a report at the end of the process needs: inherited
 * blocks, and events that were counted only in part. */
void collect_end(struct profile_header *);

/* ---- Blocks that a forked child has but did not allocate (inherited.c). */

/* Counts the live blocks of this process, which has counted nothing yet, as inherited. Returns false, and
 * sets the gap, if that is not possible. */
bool slots_inherit_heap(void);

/* Returns whether the process has recorded how many blocks it inherited. If not, the number is the live
 * blocks minus the counted ones. */
bool slots_know_inherited(void);

/* Finds out what a forked child inherited, from its live blocks and its counts, if that is not known yet.
 * Needed before sums are read; does nothing in other processes. */
void sums_know_inherited(void);

/* Counts from zero: live blocks become inherited, as in a child. Other threads may go on counting. */
void counters_reset(void);

#endif
