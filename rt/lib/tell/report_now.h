/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a report of what was counted so far. */
#ifndef ALLOCSITE_LIB_TELL_REPORT_NOW_H
#define ALLOCSITE_LIB_TELL_REPORT_NOW_H

#include "model/options.h"

#include <stdbool.h>
#include <stddef.h>

/* is_end: the process has come to its end, and all that only shows then is looked for. 0 or errno; EBUSY:
 * this thread is writing one, and we are in a signal handler that interrupted it, or such a one has left it
 * by a jump. */
int report_write_now(int fd, const struct options *, bool is_end);

#endif
