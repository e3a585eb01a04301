/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A system call that a thread which stands still makes for us: on its way to the program it is led to a
 * `syscall` instruction, and afterwards it has all registers back, so that a call of its own that it was in
 * begins again as after any stop. Its signals wait meanwhile. */
#ifndef ALLOCSITE_DUMP_STOP_INJECT_H
#define ALLOCSITE_DUMP_STOP_INJECT_H

#include "dump/process/memory.h"
#include "dump/stop/stop.h"

#include <sys/user.h>

struct injection {
    int thread;
    uint64_t instruction, mask; /* mask: of signals, the thread's own */
    struct user_regs_struct registers;
    bool is_to_halt; /* it was told to meanwhile */
    int copy;        /* that the call has made, and that we have stopped; 0: none */
};

/* Looks for a thread that can do it, and has it ready. False: *why says why, and nothing has happened. */
bool injection_begin(struct injection *, const struct stop *, struct remote_memory *, struct reason *why);

/* words: the number of the call and four arguments. Returns what it returns. */
long injection_call(struct injection *, const uint64_t words[5]);

/* The thread stands still as before. */
void injection_end(struct injection *, const struct stop *);

#endif
