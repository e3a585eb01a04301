/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that a forked child has and did not allocate itself. */
#ifndef ALLOCSITE_LIB_COLLECT_INHERITED_H
#define ALLOCSITE_LIB_COLLECT_INHERITED_H

#include <stdbool.h>

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
