/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stacks that no number stands for, but that were here before: of allocations by code that keeps no contexts,
 * or that such code has called.
 *
 * What a walk comes to is told by the words that it reads. They are kept, as far below the end of the
 * thread's stack as they were, under the number that such a stack would have. That may be anyone's, so it
 * only says which ones to compare with what is there now: four instructions for each frame, in place of 25
 * and a look for what the frames are. Nothing that is kept ever changes, and where there is no room for more,
 * stacks are walked.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_BILL_AGAIN_H
#define ALLOCSITE_LIB_BILL_AGAIN_H

#include "lib/base/slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the place of a key: one is to be told by what is kept there. */
static inline bool again_is(uint32_t key) {
    return key & 1;
}

/* At any time, and again. False: no memory. */
bool again_begin(void);

/* The key of the stack where that frame is, if it is kept; else ALLOCSITE_KEY_NONE. */
uint32_t again_find(uint32_t again, const void *frame);

/* Keeps it, with the others that are known by the same number, or alone. frames: the innermost ones that the
 * key depends on; SIZE_MAX: all. Returns what it is known by then; ALLOCSITE_KEY_NONE: as they are, or it
 * cannot be kept. */
uint32_t again_keep(uint32_t others, const void *frame, size_t frames, uint32_t key);

#endif
