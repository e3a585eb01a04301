/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stopping all threads of a process, without a signal that it could see. They go on when they are let go, or
 * when this process ends. */
#ifndef ALLOCSITE_DUMP_STOP_STOP_H
#define ALLOCSITE_DUMP_STOP_STOP_H

#include "dump/base/terminal.h"
#include "dump/process/memory.h"
#include "root.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

struct stopped_thread {
    int id;
    bool is_caller; /* waits for us, and is left alone */
    bool is_halted; /* by the shell's or a debugger's signal, before */
    uint64_t sp, tp;
    uint64_t *registers; /* all, as words */
    size_t register_count;
};

/* Where what it has in use of its stack begins: below the stack pointer for functions that call none, and of
 * the caller with the program's frame. */
static inline uint64_t stop_stack_begin(const struct stopped_thread *thread) {
    enum { RED_ZONE = 128 };
    return thread->sp - (thread->is_caller ? 0 : RED_ZONE);
}

struct stop {
    unsigned pid;
    struct stopped_thread *threads;
    size_t count, room;
};

/* caller: the thread that waits for us, of which no more registers are known than it tells; NULL: none does.
 * False: *why says why, and all go on. */
bool stop_threads(struct stop *, unsigned pid, const struct root_caller *caller, struct reason *why);

/* Lets them go; what was read of them stays. */
void stop_let_go(struct stop *);
void stop_free(struct stop *);

/* ---- A copy of a process that stands still, as fork(2) makes it: with its memory as it was at that moment,
 * to be read while the process goes on. It never runs, has no signal at its end and dies with us. */

struct process_copy {
    unsigned pid;
    uint64_t own;                     /* its number as the process sees it */
    const struct root_caller *caller; /* as for stop_threads */
    sigset_t mask;
    uint64_t stopped; /* so many nanoseconds the process stood still once more at the end */
};

/* Our own signals wait until it is gone, so that none ends us in between. caller: as for stop_threads. False:
 * *why says why, and there is none. */
bool process_copy_make(struct process_copy *, const struct stop *, const struct root_caller *caller,
                       struct remote_memory *, struct reason *why);

/* Ends it. The process stands still once more, for less than a millisecond, to forget about it. False: it has
 * a child that has ended for as long as it runs. */
bool process_copy_end(struct process_copy *, struct remote_memory *);

#endif
