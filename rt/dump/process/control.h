/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Having a running process count or not, from outside. */
#ifndef ALLOCSITE_DUMP_PROCESS_CONTROL_H
#define ALLOCSITE_DUMP_PROCESS_CONTROL_H

#include "dump/base/complain.h"

enum control { CONTROL_START, CONTROL_STOP, CONTROL_RESET };

/* What allocsite_start, allocsite_stop and allocsite_reset do there, by the words in memory that these write
 * (root.h): no thread is stopped, and no signal is sent. A reset is done by the next thread that counts
 * something; that none has so far is told as well. False: *why says why. */
bool control_process(unsigned pid, enum control, struct reason *why);

#endif
