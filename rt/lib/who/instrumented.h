/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules that were compiled with the plugin. They are in a profile whether they allocate or not, for
 * whoever asks which sites never ran.
 *
 * Modules that a program is linked with are noted when it starts, one that dlopen brought when one of its
 * sites runs, when it may go again, or when the process ends: there is no sign of a dlopen that a runtime
 * could wait for, short of standing in its way, where it would be taken for the caller that libraries are
 * searched for. */
#ifndef ALLOCSITE_LIB_WHO_INSTRUMENTED_H
#define ALLOCSITE_LIB_WHO_INSTRUMENTED_H

#ifdef ALLOCSITE_STATIC

/* The only one is the program, which every profile names. */
static inline void instrumented_note(void) {}

#else

/* Takes the dynamic loader's lock. Costs little if nothing was loaded since the last time. */
void instrumented_note(void);

#endif

#endif
