/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a process would have, from its memory (memory.h). */
#ifndef ALLOCSITE_DUMP_PROCESS_REMOTE_H
#define ALLOCSITE_DUMP_PROCESS_REMOTE_H

#include "dump/base/complain.h"
#include "dump/profile/image.h"

/* To be freed with profile_image_free. A part that is not as it should be is a reason in it why the numbers
 * are not exact. False: *why says why, and there is nothing to free. */
bool remote_profile(struct profile_image *, unsigned pid, struct reason *why);

#endif
