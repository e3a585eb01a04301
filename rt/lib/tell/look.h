/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches of the heap. allocsite-dump does them: the runtime starts it as for a report, and waits while it
 * stops all other threads and reads the process's memory (dump/capture). */
#ifndef ALLOCSITE_LIB_TELL_LOOK_H
#define ALLOCSITE_LIB_TELL_LOOK_H

struct look {
    const char *search; /* as in struct reader_call */
    int out;            /* where a snapshot goes */
    char reason[256];   /* why there is no answer */
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

#endif
