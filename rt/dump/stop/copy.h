/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A copy of a process that stands still, as fork(2) makes it: with its memory as it was at that moment, to be
 * read while the process goes on. It never runs, has no signal at its end and dies with us. */
#ifndef ALLOCSITE_DUMP_STOP_COPY_H
#define ALLOCSITE_DUMP_STOP_COPY_H

#include "dump/process/memory.h"
#include "dump/stop/stop.h"

#include <signal.h>

struct process_copy {
    unsigned pid;
    uint64_t own; /* its number as the process sees it */
    sigset_t mask;
    uint64_t stopped; /* so many nanoseconds the process stood still once more at the end */
};

/* Our own signals wait until it is gone, so that none ends us in between. False: *why says why, and there is
 * none. */
bool process_copy_make(struct process_copy *, const struct stop *, struct remote_memory *,
                       struct reason *why);

/* Ends it. The process stands still once more, for less than a millisecond, to forget about it. False: it has
 * a child that has ended for as long as it runs. */
bool process_copy_end(struct process_copy *, struct remote_memory *);

#endif
