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
 * The hash has 62 bits. With the largest number of stacks, the chance that it takes two of them for one is
 * below 1 in 100 million.
 *
 * A quarter of all slots may be stacks. Once they are taken, allocations from further stacks are counted by
 * their innermost calls alone (paths/cut.h). If there is no room for these either, they have fewer callers;
 * in the end the slot itself counts, and without_stack says how often.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_PATHS_STACKS_H
#define ALLOCSITE_LIB_PATHS_STACKS_H

#include "lib/base/macros.h"
#include "lib/paths/again.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"

#include <stddef.h>

/* The most frames of a stack that are kept; 0: no slot keeps stacks. */
extern uint32_t stacks_depth __attribute__((visibility("hidden")));

/* The frames that are kept of stacks that are whole. */
#define STACKS_WHOLE (1u << 20)

/* Keeps stacks of at most depth frames from now on, of the slots that the patterns select. The patterns must
 * outlive the process. checks: each context is compared with a walk. */
void stacks_begin(uint32_t depth, const char *patterns, bool checks);

/* The key of the part of a slot, which has that key and keeps stacks, for the stack of its caller;
 * ALLOCSITE_KEY_NONE: it is not one that was here lately. who: of the slot (paths/contexts.h). frame:
 * __builtin_frame_address(0) of the function that asks. */
uint32_t stack_key_seen(uint32_t key, uint64_t who, const void *frame);

/* The same of a site where contexts are hot and the hash was found nowhere. */
uint32_t stack_key_new(uint32_t key, const void *frame, uint64_t hash);

/* Returns the key that a context has, after a comparison of the stack if it needs one (paths/again.h);
 * ALLOCSITE_KEY_NONE: the stack is another one. */
uint32_t stack_key_compared(uint32_t again, const void *frame);

static inline uint32_t stack_key_known(uint32_t known, const void *frame) {
    return LIKELY(!again_is(known)) ? known : stack_key_compared(known, frame);
}

/* That part of any slot; the slot itself if it keeps none or there is no room even for a cut path. */
uint32_t stack_slot_walked(uint32_t slot);

static inline uint32_t stack_slot(uint32_t slot) {
    return LIKELY(!stacks_depth) ? slot : stack_slot_walked(slot);
}

/* At the end: says which patterns have matched nothing. */
void stacks_tell(void);

/* Returns the statistics of this process's walks. A forked child has its own. */
struct profile_walks stacks_walks(void);

/* ---- The slots that keep stacks: stack_sites=PATTERN,... */

/* Returns whether one of the patterns (base/words.h), separated by commas, matches the site's file,
 * file:line, function with or without its parameters, callee, type or id, or those of a function that it was
 * inlined into. An unsited caller matches by its module. Files and modules match from any slash on. */
bool stack_sites_select(const char *patterns, const struct record *);

/* Says which of the patterns have matched nothing. */
void stack_sites_tell(const char *patterns);

/* ---- The paths of stacks, as steps of profiles: (module, address in its file), each with the step of its
 * caller, so that stacks that are equal from somewhere outwards share what follows. To find the module of
 * an address takes some hundred instructions, so what was found lately is remembered.
 *
 * Lock-free and safe in signal handlers. */

struct steps_stack {
    uint32_t unloads_before; /* their number before the stack was walked (registry/modules.h) */
    size_t count;            /* frames */
    size_t by_pointer;       /* number of callers found by a frame pointer; after steps_whole */
    profile_name cut;        /* the cut path (paths/cut.h); 0: there is no memory */

    /* steps.c's own */
    const void *const *frames;
    struct last *last;
};

/* Returns the name of a return address (struct profile_return). 0: there is no memory. */
profile_name steps_return(const void *address, uint32_t unloads_before);

/* Finds the path of these frames, innermost first, which have to stay until steps_end. */
void steps_find(struct steps_stack *, const void *const *frames, size_t count);

/* The functions of the stack that was found keep their contexts, and nothing that does not is among its
 * frames but at the root: so what is called from one of them is known by their numbers. frame, context: as
 * walk_marked has them. */
void steps_know(const struct steps_stack *, const void *frame, uint64_t context);

/* Finds the path of a stack that has its outer frames in common with one that is known. Walks only what that
 * did not have. False: it has nothing in common; without steps_end then. */
bool steps_find_known(struct steps_stack *, const void *frame, uint64_t context);

/* Returns the innermost step of the whole path. 0: there is no room, or it is not known and none may be
 * added. is_new: it has just been added, and there is no thread that can have built on it. */
profile_name steps_whole(struct steps_stack *, bool may_add, bool *is_new);

void steps_end(struct steps_stack *);

#endif
