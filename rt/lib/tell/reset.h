/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting from zero again. */
#ifndef ALLOCSITE_LIB_TELL_RESET_H
#define ALLOCSITE_LIB_TELL_RESET_H

/* Blocks that are live then are inherited, as by a forked child. Threads may count on meanwhile. */
void counters_reset(void);

#endif
