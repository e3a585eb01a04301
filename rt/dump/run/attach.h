/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts for a while in a process that was started without the runtime. */
#ifndef ALLOCSITE_DUMP_RUN_ATTACH_H
#define ALLOCSITE_DUMP_RUN_ATTACH_H

#include "dump/base/terminal.h"

#include <stdbool.h>
#include <stdint.h>

struct attachment {
    unsigned pid;
    const char *options; /* of the runtime */
    uint64_t duration;   /* nanoseconds; 0: until the user interrupts, or the process ends */
    bool is_live;        /* a live screen meanwhile */
    int counters;        /* the file in which the process counted */
};

/* True if the process has the runtime from its start, or its modules call it: it need not be attached. */
bool attach_is_unneeded(unsigned pid);

/* Counts in the process until the time is over, the process ends or the user interrupts, and restores it.
 * Handles SIGINT, SIGTERM and SIGHUP meanwhile. The caller closes `counters`. runtime: path of the library.
 * False: *why has the reason, and the process is as it was. */
bool attach_count(struct attachment *, const char *runtime, struct reason *why);

#endif
