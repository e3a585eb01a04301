/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports are written by allocsite-dump. The runtime starts it on its counters, as the sanitizers start a
 * symbolizer. If that fails, the runtime prints the report of fallback.c. */
#ifndef ALLOCSITE_LIB_REPORT_READER_H
#define ALLOCSITE_LIB_REPORT_READER_H

#include "root.h"

#include <stdbool.h>

struct reader_call {
    int out;             /* the descriptor for the report */
    const char *options; /* "key=value:..." to override the options of the process; NULL: none */
    bool is_end;         /* the process is about to end, perhaps by a signal */
    bool is_help;        /* print the keys of the options instead of a report */
    bool is_alone;       /* use only these options, and treat a wrong one as an error */
    const char *search;  /* a search instead of a report: "graph" for a snapshot, "leaked", "resident", or an
                            address (look.h); NULL: none */
    const struct root_caller *caller; /* for a search */
    int answer; /* for a search: descriptor of a file for its result, or for the reason of a failure */
};

/* Starts allocsite-dump exit-report, or search, and waits until it ends. Returns 0 if the report was written,
 * EINVAL if the options of the call are wrong, otherwise another errno with the reason in *why.
 *
 * The reader is a child of a process that clone(2) makes on the program's memory, without an exit signal: no
 * fork handler runs, there is no SIGCHLD, and the program's wait functions do not find the process. A search
 * keeps the caller in clone until it is done.
 * Takes no lock and does not allocate; may be called in a signal handler, but not in a child of vfork. */
int reader_run(const struct reader_call *, const char **why);

/* Prints the totals, the sites with the most bytes, and why there is no full report. Returns 0 or an errno.
 * May be called where reader_run may. */
int fallback_write(int fd, const char *why);

/* Returns true if the report at the end of the process had leaks=1 and found leaks. */
bool reader_found_leaks(void);

/* Notes whether the process starts in a sandbox. Called at the start. */
void reader_begin(void);

#endif
