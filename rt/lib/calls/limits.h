/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's limits of its own memory, around the execution of another program. */
#ifndef ALLOCSITE_LIB_CALLS_LIMITS_H
#define ALLOCSITE_LIB_CALLS_LIMITS_H

void limits_lower(void);
void limits_raise(void); /* it could not be executed */

#endif
