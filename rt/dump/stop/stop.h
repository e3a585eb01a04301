/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stopping all threads of a process, without a signal that it could see. They go on when they are let go, or
 * when this process ends. */
#ifndef ALLOCSITE_DUMP_STOP_STOP_H
#define ALLOCSITE_DUMP_STOP_STOP_H

#include "dump/base/complain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stopped_thread {
    int id;
    bool is_halted; /* by the shell's or a debugger's signal, before */
    uint64_t sp, tp;
    uint64_t *registers; /* all, as words */
    size_t register_count;
};

struct stop {
    unsigned pid;
    struct stopped_thread *threads;
    size_t count, room;
};

/* False: *why says why, and all go on. */
bool stop_threads(struct stop *, unsigned pid, struct reason *why);

/* Lets them go; what was read of them stays. */
void stop_let_go(struct stop *);
void stop_free(struct stop *);

#endif
