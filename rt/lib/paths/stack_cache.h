/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack-verification cache, for stacks that no context identifies: stacks with code that keeps no
 * contexts, and stacks of functions that such code calls.
 *
 * The words that a walk reads determine its result. The cache keeps them under the stack's number, with their
 * distances from the end of the thread's stack. Other stacks may have the same number, so the kept words are
 * compared with the present ones. This takes four instructions for each frame. A walk takes 25, and then a
 * look-up of the frames. Entries never change. Once the cache is full, stacks are walked.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_PATHS_STACK_CACHE_H
#define ALLOCSITE_LIB_PATHS_STACK_CACHE_H

#include "lib/base/slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether this is not a key, but the position of entries to compare. */
static inline bool stack_cache_is(uint32_t key) {
    return key & 1;
}

/* Makes the cache. May be called at any time, and repeatedly. Returns false if memory is out. */
bool stack_cache_begin(void);

/* Returns the key of the stack at this frame if it is kept, otherwise ALLOCSITE_KEY_NONE. cached: from
 * stack_cache_keep. */
uint32_t stack_cache_find(uint32_t cached, const void *frame);

/* Keeps the stack at this frame under a number. others: the value that the number leads to so far;
 * ALLOCSITE_KEY_NONE: none. frames: the number of innermost frames that the key depends on; SIZE_MAX: all.
 * Returns the value that the number must lead to from now on; ALLOCSITE_KEY_NONE if this value stays the same
 * or the stack cannot be kept. */
uint32_t stack_cache_keep(uint32_t others, const void *frame, size_t frames, uint32_t key);

#endif
