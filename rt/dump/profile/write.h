/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as a merged profile. */
#ifndef ALLOCSITE_DUMP_PROFILE_WRITE_H
#define ALLOCSITE_DUMP_PROFILE_WRITE_H

#include "model/report.h"

/* Writes to an empty file from its beginning on. The report must not be prepared, and have no sites left out.
 * Returns 0 or an errno; EOVERFLOW: more names or sites than a profile can have. */
int profile_write(int fd, const struct report *);

#endif
