/* The phases that a thread is in.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_PHASES_H
#define ALLOCSITE_PHASES_H

#include "../profile.h"

/* What this thread counts belongs to the innermost one. */
void phase_push(profile_name);
void phase_pop(void);

/* 0: outside of all. */
profile_name phase_now(void);

#endif
