/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports are written by allocsite-dump, which the runtime starts on its counters as the sanitizers start a
 * symbolizer. What the runtime prints itself if that fails is in fallback.c. */
#ifndef ALLOCSITE_LIB_REPORT_READER_H
#define ALLOCSITE_LIB_REPORT_READER_H

#include "root.h"

#include <stdbool.h>

struct reader_call {
    int out;             /* the descriptor that the report goes to */
    const char *options; /* "key=value:..." that override those of the process; NULL: none */
    bool is_end;         /* the process is about to end, perhaps by a signal */
    bool is_help;        /* the keys of options in place of a report */
    bool is_alone;       /* nothing but these options holds, and a wrong one is an error */
    const char *search;  /* in place of a report: "graph", a snapshot of the heap (look.h); NULL: none */
    const struct root_caller *caller; /* of a search */
    int answer;                       /* of a search: descriptor of a file for what it found, or why not */
};

/* Starts allocsite-dump exit-report, or search, and waits for its end. Returns 0 when the report is written,
 * EINVAL if the options of the call are wrong, else another errno: then *why says why no reader ran to its
 * end.
 *
 * The reader is a child of clone(CLONE_VM | CLONE_VFORK) without an exit signal: no fork handler runs, and
 * the program's wait functions do not see it. A search holds the caller in clone until it is done. Takes no
 * lock, does not allocate; may be used in a signal handler. Not in a child of vfork. */
int reader_run(const struct reader_call *, const char **why);

/* Prints the totals and the sites with the most bytes on a descriptor, and why there is no full report.
 * Returns 0 or an errno. May be used where reader_run may. */
int fallback_write(int fd, const char *why);

/* Notes whether the process runs in a sandbox from the beginning. At the start. */
void reader_begin(void);

#endif
