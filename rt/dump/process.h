/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes of this machine. */
#ifndef ALLOCSITE_PROCESS_H
#define ALLOCSITE_PROCESS_H

#include "reason.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the process still runs; not another one that got its number, nor one of another host. start_time:
 * in clock ticks since the machine was started. */
bool process_runs(uint64_t pid, uint64_t start_time, const char *host);

/* Whether its memory can still be found: that goes some time before the process, and with the main thread if
 * others outlive it. */
bool process_has_memory(uint64_t pid, uint64_t start_time);

/* As above; 0: there is no such process. */
uint64_t process_start_time(uint64_t pid);

/* Its number as it sees it itself, which in a container is another one; 0: there is no such process. */
uint64_t process_own_pid(uint64_t pid);

/* How much memory it has in bytes, swapped out or not; 0: that cannot be told. */
uint64_t process_memory(uint64_t pid);

/* Always false: *why says that the kernel does not let its memory be read, and what helps. */
bool process_refuses(uint64_t pid, struct reason *why);

#endif
