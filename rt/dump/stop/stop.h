/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stops all threads of a process, without a signal that it could observe. The threads continue when they are
 * released or when this process ends. */
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
    bool is_caller; /* waits for us and is not stopped */
    bool is_halted; /* stopped before by the shell's or a debugger's signal */
    uint64_t sp, tp;
    uint64_t *registers; /* all registers, as words */
    size_t register_count;
};

/* The lowest used address of the thread's stack: below the stack pointer because of the red zone. The
 * caller's is the stack pointer, in the program's frame. */
static inline uint64_t stop_stack_begin(const struct stopped_thread *thread) {
    enum { RED_ZONE = 128 };
    return thread->sp - (thread->is_caller ? 0 : RED_ZONE);
}

struct stop {
    unsigned pid;
    struct stopped_thread *threads;
    size_t count, capacity;
};

/* caller: the thread that waits for us; only the registers that it passes are known. NULL: none waits. False:
 * *why has the reason, and all threads continue. */
bool stop_threads(struct stop *, unsigned pid, const struct root_caller *caller, struct reason *why);

/* The same for a single thread; the others run. True also if it has ended: then it has no registers. */
bool stop_thread(struct stop *, unsigned pid, int thread, struct reason *why);

/* Resumes the threads. Their data stays valid. */
void stop_release(struct stop *);
void stop_free(struct stop *);

/* ---- Making a stopped thread call a function of the process. */

struct injection {
    const struct stopped_thread *thread;
    uint64_t instruction, mask; /* of a system call that it can execute; its blocked signals */
    bool is_to_halt;            /* a stop signal arrived meanwhile */
    int copy;                   /* process created by the call, and stopped by us; 0: none */
};

/* Chooses and prepares a stopped thread. Its signals wait until injection_end. False: *why has the reason,
 * and nothing has changed. */
bool injection_begin(struct injection *, const struct stop *, struct remote_memory *, struct reason *why);

enum { CALL_ARGUMENTS = 3 };

/* Calls a function, with a stack that ends at that address. Waits until it returns. False: the process has
 * ended. */
bool injection_run(struct injection *, struct remote_memory *, uint64_t function,
                   const uint64_t arguments[CALL_ARGUMENTS], uint64_t stack, uint64_t *result);

/* Restores the thread, with all registers. It stays stopped. */
void injection_end(struct injection *, const struct stop *);

/* ---- A forked copy of a stopped process (fork(2)): its memory at that moment, to be read while the process
 * continues. The copy never runs, sends no signal when it ends, and dies with us. */

struct process_copy {
    unsigned pid;
    uint64_t inner_id;                /* its id in the process's pid namespace */
    const struct root_caller *caller; /* as for stop_threads */
    sigset_t mask;
    uint64_t stopped; /* nanoseconds of the second stop, at the end */
};

/* Blocks our own signals until process_copy_end, so that none ends us in between. caller: as for
 * stop_threads. False: *why has the reason, and there is no copy. */
bool process_copy_make(struct process_copy *, const struct stop *, const struct root_caller *caller,
                       struct remote_memory *, struct reason *why);

/* Ends the copy. Stops the process again for less than a millisecond, to wait for its child. False: the
 * process keeps a zombie child until it ends. */
bool process_copy_end(struct process_copy *, struct remote_memory *);

#endif
