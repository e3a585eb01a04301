/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths: each slot that keeps stacks is counted in parts (registry/registry.h), one for each distinct
 * stack, never as single events.
 *
 * Such a slot has a key above the capacity of every thread, so all its allocations take the slow path. Their
 * blocks are entered with the keys of parts and are freed on the hot path. The slow path finds the part by
 * the calling context (paths/contexts.h), or walks the stack (walk/walk.h) and looks it up by a hash of its
 * return addresses, which costs some 400 instructions and 35 for each frame. The addresses of a new stack
 * become steps, (module, address in its file). They outlive the module, and stacks that are equal from some
 * frame outwards share them.
 *
 * The hash has 62 bits. The chance that any two stacks have the same hash is below 1 in 100 million, even
 * for the largest number of stacks.
 *
 * A quarter of all slots may be stacks. Once they are taken, allocations from further stacks are counted by
 * their innermost calls alone (paths/cut.h). If there is no room for these either, they get fewer callers. In
 * the end the slot itself is counted, and without_stack is the number of these allocations.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_PATHS_STACKS_H
#define ALLOCSITE_LIB_PATHS_STACKS_H

#include "lib/base/macros.h"
#include "lib/paths/stack_cache.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"

#include <stddef.h>

/* The most frames of a stack that are kept; 0: no slot keeps stacks. */
extern uint32_t stacks_depth __attribute__((visibility("hidden")));

/* The value of stacks_depth that keeps whole stacks. */
#define STACKS_WHOLE (1u << 20)

/* Keeps stacks of at most depth frames from now on. checks: compares each context with a walk. */
void stacks_begin(uint32_t depth, bool checks);

/* Returns the key of a slot's part for the stack of the caller; ALLOCSITE_KEY_NONE if the stack was not seen
 * lately. key: of a slot that keeps stacks. caller_id: number of the slot's site or caller
 * (paths/contexts.h). frame: __builtin_frame_address(0) of the calling function. */
uint32_t stack_key_checked(uint32_t key, uint64_t caller_id, const void *frame);

/* Like stack_key_checked, for a site while contexts_hot, if the hash was not found. */
uint32_t stack_key_new(uint32_t key, const void *frame, uint64_t hash);

/* Returns the key of a context after a comparison of the stack (paths/stack_cache.h); ALLOCSITE_KEY_NONE if
 * the stack is another one. */
uint32_t stack_key_compared(uint32_t cached, const void *frame);

static inline uint32_t stack_key_known(uint32_t known, const void *frame) {
    return LIKELY(!stack_cache_is(known)) ? known : stack_key_compared(known, frame);
}

/* Returns the part of any slot for the current stack. Returns the slot itself if it keeps no stacks, or if
 * there is no room even for a cut path. */
uint32_t stack_slot_walked(uint32_t slot);

static inline uint32_t stack_slot(uint32_t slot) {
    return LIKELY(!stacks_depth) ? slot : stack_slot_walked(slot);
}

/* Returns the innermost step of the stack that the signal whose handler is running has interrupted; 0 if
 * memory is out. */
profile_name stack_interrupted(void);

/* Returns the statistics of this process's walks. A forked child has its own. */
struct profile_walks stacks_walks(void);

/* ---- The paths of stacks (steps.c): either steps of profiles, (module, address in its file), each of which
 * refers to the step of its caller, or cut paths (paths/cut.h).
 *
 * Lock-free and safe in signal handlers. */

struct steps {
    uint32_t unloads_before; /* number of unloads before the walk (registry/modules.h) */
    bool is_cut;             /* find a cut path */
    bool may_add;            /* find a path of steps even if there is none yet */

    /* results */
    bool is_new;  /* the innermost step has just been added, and no other thread can have used it */
    bool is_full; /* private to steps.c */
};

/* Returns the name of a return address (struct profile_return); 0 if memory is out. */
profile_name steps_return(const void *address, uint32_t unloads_before);

/* Find the path of these frames, innermost first. They return the innermost step, or the number of the cut
 * path; 0: there is no room, or it may not be added. steps_find_certain is for a certain stack,
 * and remembers the callers of each frame for steps_find_known. frame, context: as in marked_begin. */
uint32_t steps_find(struct steps *, const void *const *frames, size_t count);
uint32_t steps_find_certain(struct steps *, const void *const *frames, size_t count, const void *frame,
                            uint64_t context);

/* Finds the path of a stack that shares outer frames with an earlier certain one, so that it is certain, too.
 * Walks only the frames that are not shared. Returns 0 if there is no such path. */
uint32_t steps_find_known(struct steps *, const void *frame, uint64_t context);

#endif
