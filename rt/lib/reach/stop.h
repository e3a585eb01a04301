/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stopping the other threads of the process from a second process that shares its memory, for the search in
 * reach.h. */
#ifndef ALLOCSITE_LIB_REACH_STOP_H
#define ALLOCSITE_LIB_REACH_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stopped_thread {
    int32_t id;
    int32_t signal; /* that was being delivered when it stopped; 0: none */
};

/* General and vector registers; words past those the kernel gave are zero. */
struct registers {
    uintptr_t sp, tp; /* stack and thread pointer; sp 0: the thread is gone */
    uintptr_t words[2048];
};

struct stop {
    int tasks; /* descriptor of /proc/self/task of the process */
    int32_t process;
    int32_t caller; /* thread that waits for the second process: left alone */
    struct stopped_thread *threads;
    uint32_t count;
    struct registers *registers; /* of each of them */
};

/* Stops all threads but the caller. NULL, or why not. To be followed by stop_end either way. */
const char *stop_begin(struct stop *);

/* Lets them run on; what is known of them stays until stop_release. */
void stop_end(struct stop *);
void stop_release(struct stop *);

#endif
