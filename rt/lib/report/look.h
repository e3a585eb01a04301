/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches of the heap. allocsite-dump does them: the runtime starts it as for a report, and waits while it
 * stops all other threads and reads the process's memory (dump/capture). */
#ifndef ALLOCSITE_LIB_REPORT_LOOK_H
#define ALLOCSITE_LIB_REPORT_LOOK_H

#include "profile.h"

#include <stddef.h>
#include <stdint.h>

struct look {
    const char *search; /* as in struct reader_call */
    int out;            /* where a snapshot goes; -1: there is none */
    size_t record;      /* bytes of each record of the answer; 0: there are none */
    void (*take)(void *context, const void *record);
    void *context;
    char reason[256]; /* why there is no answer */
};

/* NULL, or why there is no answer: that string lives as long as the struct.
 *
 * Roots on the caller's stack begin at the program's frame that called the runtime: neither the runtime's
 * frames nor what stands below them count. Holds signals back, and one search is done at a time. May be used
 * where reader_run may, on a stack that has room for 16 KiB. */
const char *look_at_process(struct look *);

/* To be called by a handler of exit(3) or quick_exit(3) that the C library calls, with its
 * __builtin_frame_address(0): what the C library has on the stack between the two is no root, and neither is
 * what a main that has returned left there. */
void look_note_exit(const void *frame);

/* Counts in each slot how many of its live blocks are lost, and possibly lost, as dump/capture/search.h has
 * it, or tells the header why that cannot be told. There is no answer where it could be wrong: where threads
 * cannot be stopped or memory cannot be read, or where not all blocks are known, for one that is not could
 * hold the only pointer to one that is. So it is to be called when all holes have been looked for. */
void lost_find(struct profile_header *);

/* The bytes of the block that the pointer leads to and of all blocks that these lead to, each once; 0: it
 * leads to none, or that cannot be told. */
uint64_t lost_deep_size(const void *from);

#endif
