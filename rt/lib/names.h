/* The names of a profile: each string and each inlined call once.
 *
 * Lock-free and safe in signal handlers. Two threads that come at once may make a name twice.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_NAMES_H
#define ALLOCSITE_NAMES_H

#include "../profile.h"

/* 0 for NULL, or if there is no memory. */
profile_name names_text(const char *);
profile_name names_frame(const struct profile_frame *);

#endif
