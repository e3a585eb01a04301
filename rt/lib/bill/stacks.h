/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling frames: with stack=N what a slot counts is counted in a part of it (who/registry.h) for each
 * distinct stack of up to N frames, never as single events.
 *
 * A slot that keeps stacks has a key which no thread has capacity for, so all its allocations take the slow
 * path, while the blocks' entries hold the keys of parts and are freed on the hot path. There the stack is
 * walked (walk/walk.h) and looked up by a hash of its return addresses, which costs some 400 instructions
 * and 35 for each frame. Of a stack that is not known yet the addresses are turned into steps, (module,
 * address in its file), which outlive the module and are shared by all stacks that are equal from there
 * outwards.
 *
 * The hash has 62 bits that count and stands for the stack: with as many stacks as there can be, the chance
 * that two of them are taken for one is below 1 in 100 million.
 *
 * There is room for a quarter of all slots as stacks, and for so many steps. Allocations from other stacks
 * then are counted for the slot itself, and how often that was is told.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_BILL_STACKS_H
#define ALLOCSITE_LIB_BILL_STACKS_H

#include "lib/base/macros.h"
#include "lib/who/registry.h"

/* 0: no slot keeps stacks, nor is one listed. */
extern uint32_t stacks_depth __attribute__((visibility("hidden")));

/* The frames that are kept of stacks that are whole. */
#define STACKS_WHOLE (1u << 20)

/* From here on so many frames are kept, of the slots that the patterns select, and the list holds
 * (bill/listed.h). patterns has to stay. checks: what contexts say is compared with walks. */
void stacks_begin(uint32_t depth, const char *patterns, const char *list, bool checks);

/* The key of the part of a slot, which has that key and keeps stacks, for the stack of its caller;
 * ALLOCSITE_KEY_NONE: it is not one that was here lately. frame: __builtin_frame_address(0) of the function
 * that asks. */
uint32_t stack_key_seen(uint32_t key, const void *frame);

/* That part of any slot; the slot itself if it keeps none or there is no room. */
uint32_t stack_slot_walked(uint32_t slot);

/* An event was counted for a slot that keeps stacks, without one. */
void stack_missing(void);

static inline uint32_t stack_slot(uint32_t slot) {
    return LIKELY(!stacks_depth) ? slot : stack_slot_walked(slot);
}

/* At the end: says which patterns have matched nothing. */
void stacks_tell(void);

/* Of this process, also where it was forked. */
struct profile_walks stacks_walks(void);

#endif
