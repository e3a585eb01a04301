/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as a merged profile. */
#ifndef ALLOCSITE_DUMP_PROFILE_WRITE_H
#define ALLOCSITE_DUMP_PROFILE_WRITE_H

#include "dump/profile/image.h"
#include "model/report.h"

/* The report must not be prepared, and have no sites left out. False: it has more names or sites than a
 * profile can have. There is something to free even then. */
bool profile_merged(struct profile_image *, const struct report *);

#endif
