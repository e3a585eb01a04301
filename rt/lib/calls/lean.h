/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions for a process that counts only what comes (owners=0), of the size of that job. */
#ifndef ALLOCSITE_LIB_CALLS_LEAN_H
#define ALLOCSITE_LIB_CALLS_LEAN_H

#include <stdint.h>

/* The function that does what ours of that symbol does. 0: there is none. */
uintptr_t lean_function(const char *symbol);

#endif
