/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of a profile: each string, each inlined call and each step of a stack once.
 *
 * Lock-free and safe in signal handlers. Two threads that come at once may make a name twice. */
#ifndef ALLOCSITE_LIB_STORE_NAMES_H
#define ALLOCSITE_LIB_STORE_NAMES_H

#include "profile.h"

#include <stdbool.h>

/* 0 for NULL, or if there is no memory. */
profile_name names_text(const char *);
profile_name names_frame(const struct profile_frame *);

/* NULL: there is none of that name. */
const char *names_text_at(profile_name);
const struct profile_frame *names_frame_at(profile_name);

/* Steps are found again by an index of their own, for there may be many. 0: there is no room for more, or it
 * is not there and may not be added. */
profile_name names_step(const struct profile_step *, bool may_add);

/* NULL: there is none of that name. */
const struct profile_step *names_step_at(profile_name);

#endif
