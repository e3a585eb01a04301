/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches of the heap by allocsite-dump. The runtime starts it as for a report and waits, while
 * allocsite-dump stops all other threads and reads the memory of the process (dump/capture). */
#ifndef ALLOCSITE_LIB_REPORT_LOOK_H
#define ALLOCSITE_LIB_REPORT_LOOK_H

#include "profile.h"

#include <stddef.h>
#include <stdint.h>

struct look {
    const char *search; /* see struct reader_call */
    int out;            /* descriptor for a snapshot; -1: none */
    size_t record;      /* bytes of a record of the answer; 0: no records */
    void (*take)(void *context, const void *record);
    void *context;
    char reason[256]; /* why there is no answer */
};

/* Runs the search. Returns NULL, or the reason why there is no answer, a string that lives as long as the
 * struct.
 *
 * The roots on the caller's stack begin at the program's frame that called the runtime: lower frames are not
 * roots. Blocks signals; one search runs at a time. May be called where reader_run may, on a stack with 16
 * KiB left. */
const char *look_at_process(struct look *);

/* Called by a handler of exit(3) or quick_exit(3), with its __builtin_frame_address(0). The stack of the C
 * library between exit and the handler, and what main has left there, are then no roots. */
void look_note_exit(const void *frame);

/* Counts the leaked and possibly leaked blocks of each slot (dump/capture/search.h), or writes to the header
 * why they are unknown. That happens if the result could be wrong: if threads cannot be stopped, memory
 * cannot be read, or the process may have unknown blocks, which might hold the only pointer to a known one.
 * So all accuracy gaps must have been checked before. */
void leaks_find(struct profile_header *);

/* Writes the parts of the resident memory to the header, or says why they are unknown. */
void resident_find(struct profile_header *);

/* Returns the bytes of the block that `from` points to and of all blocks reachable from it, each counted
 * once; 0 if there is none or it is unknown. */
uint64_t leaked_deep_size(const void *from);

#endif
