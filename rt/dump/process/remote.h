/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A running process, from outside: its profile, and having it count or not. */
#ifndef ALLOCSITE_DUMP_PROCESS_REMOTE_H
#define ALLOCSITE_DUMP_PROCESS_REMOTE_H

#include "dump/base/terminal.h"
#include "dump/profile/image.h"

/* ---- The profile that a process would have, from its memory (memory.h). */

/* To be freed with profile_image_free. A part that is not as it should be is a reason in it why the numbers
 * are not exact. False: *why says why, and there is nothing to free. */
bool remote_profile(struct profile_image *, unsigned pid, struct reason *why);

/* ---- Having a running process count or not, from outside. */

enum control { CONTROL_START, CONTROL_STOP, CONTROL_RESET };

/* What allocsite_start, allocsite_stop and allocsite_reset do there, by the words in memory that these write
 * (root.h): no thread is stopped, and no signal is sent. A reset is done by the next thread that counts
 * something; that none has so far is told as well. False: *why says why. */
bool control_process(unsigned pid, enum control, struct reason *why);

#endif
