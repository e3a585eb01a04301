/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Saying at once what the program did wrong. */
#ifndef ALLOCSITE_LIB_WHO_FAULT_H
#define ALLOCSITE_LIB_WHO_FAULT_H

#include "model/counters.h"

#include <stdint.h>

/* One line on stderr, for the first faults of a process, unless no report is wanted. owner: slot of the
 * block, 0: it is no block; by: slot of the call. Does not allocate. */
void fault_say(enum pair_kind, uint32_t owner, uint32_t by);

#endif
