/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Standard output through a pager, if it is a terminal: ALLOCSITE_PAGER, else PAGER, else less. An empty one,
 * and cat, is none. */
#ifndef ALLOCSITE_DUMP_BASE_PAGER_H
#define ALLOCSITE_DUMP_BASE_PAGER_H

#include <stdbool.h>

/* Until pager_end, which waits until the user has seen enough; nothing may be waiting to be written then.
 * False: what is written goes where it went. Else writing fails when the user has ended the pager, which is
 * no error. */
bool pager_begin(void);
void pager_end(void);

#endif
