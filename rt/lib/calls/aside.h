/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Getting out of the way of calls that are not counted. */
#ifndef ALLOCSITE_LIB_CALLS_ASIDE_H
#define ALLOCSITE_LIB_CALLS_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a module that is loaded calls allocsite_start or its kin. */
bool may_be_started(void);

/* Once, before the first thread and any other constructor. */
void step_aside(void);

/* The same of what gives blocks back; what allocates them is led to functions for a process that counts only
 * what comes (owners=0), of the size of that job. */
void step_aside_of_frees(void);

/* Calls that allocate are led to functions that count sizes as well (sizes=1). */
void step_aside_for_sizes(void);

/* A function that does what ours of that symbol does. 0: there is none. */
typedef uintptr_t led_function(const char *symbol);

led_function lean_function, sized_function;

#endif
