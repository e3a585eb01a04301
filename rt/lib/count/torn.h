/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events that were counted in part and left. */
#ifndef ALLOCSITE_LIB_COUNT_TORN_H
#define ALLOCSITE_LIB_COUNT_TORN_H

/* Sets the hole if there is one. For the end of the process; finds what this thread and those that have ended
 * left. May be used in a signal handler, though the event that this interrupts is torn if it does not
 * return. */
void torn_look(void);

#endif
