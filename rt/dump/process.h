/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes of this machine. */
#ifndef ALLOCSITE_PROCESS_H
#define ALLOCSITE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the process still runs; not another one that got its number, nor one of another host. start_time:
 * in clock ticks since the machine was started. */
bool process_runs(uint64_t pid, uint64_t start_time, const char *host);

#endif
