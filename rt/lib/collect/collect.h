/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Taking a report from the slabs. */
#ifndef ALLOCSITE_LIB_COLLECT_COLLECT_H
#define ALLOCSITE_LIB_COLLECT_COLLECT_H

#include "model/report.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Which stacks a report has. Thousands may be known, and to name their frames is most of the work. */
enum collect_stacks {
    COLLECT_NO_STACKS,
    COLLECT_MAIN_STACKS, /* of each row the one with the most bytes */
    COLLECT_ALL_STACKS,
};

/* Fills report with what all threads have counted so far. Threads that run on meanwhile may or may not be in
 * it with their last calls. is_end: of a process that has come to its end; else nothing is done that is not
 * safe in a signal handler. False: no memory. Memory that it points at lives until collect_done, which is to
 * be called in any case. */
bool collect(struct report *report, enum collect_stacks, bool is_end);
void collect_done(void);

/* Looks for the holes that only a look shows, and tells the header of all. Takes a lock of the dynamic
 * loader. */
void collect_holes(struct profile_header *);

/* Lost blocks, for a profile of a process that ends without a report. After collect_holes, for with a hole
 * there is no answer. */
void collect_lost_for_profile(void);

/* ---- The memory that a report is made of. */

/* Zeroed memory until collect_done; NULL: there is none. One report at a time. */
void *collect_take(size_t size);

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
