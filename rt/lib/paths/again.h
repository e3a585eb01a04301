/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack-verification cache, for stacks that no number identifies: those of code that keeps no contexts,
 * and of what such code calls.
 *
 * The words that a walk reads determine its result. They are kept under the number that such a stack has,
 * with their distances from the end of the thread's stack. Other stacks may have the same number, so the
 * words are compared with the present ones: four instructions for each frame, where a walk takes 25 and a
 * look-up of the frames. Entries never change. Once the cache is full, stacks are walked.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_PATHS_AGAIN_H
#define ALLOCSITE_LIB_PATHS_AGAIN_H

#include "lib/base/slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether this is not a key, but the position of entries to compare. */
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
