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
 * There is room for a quarter of all slots as stacks. Once that is taken, allocations from further stacks are
 * counted by their innermost calls alone (bill/cut.h). If there is no room for these either, they have fewer
 * callers; in the end the slot itself counts, and without_stack says how often.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_BILL_STACKS_H
#define ALLOCSITE_LIB_BILL_STACKS_H

#include "lib/base/macros.h"
#include "lib/bill/again.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"
#include "lib/who/registry.h"

#include <stddef.h>

/* The most frames of a stack that are kept; 0: no slot keeps stacks. */
extern uint32_t stacks_depth __attribute__((visibility("hidden")));

/* The frames that are kept of stacks that are whole. */
#define STACKS_WHOLE (1u << 20)

/* From here on so many frames are kept, of the slots that the patterns select. patterns has to stay. checks:
 * what contexts say is compared with walks. */
void stacks_begin(uint32_t depth, const char *patterns, bool checks);

/* The key of the part of a slot, which has that key and keeps stacks, for the stack of its caller;
 * ALLOCSITE_KEY_NONE: it is not one that was here lately. who: of the slot (bill/contexts.h). frame:
 * __builtin_frame_address(0) of the function that asks. */
uint32_t stack_key_seen(uint32_t key, uint64_t who, const void *frame);

/* The same of a site where contexts are hot and the hash was found nowhere. */
uint32_t stack_key_new(uint32_t key, const void *frame, uint64_t hash);

/* What is known by a context, which may be what is to be compared first (bill/again.h). */
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

/* Of this process, also where it was forked. */
struct profile_walks stacks_walks(void);

/* ---- Which slots keep stacks: stack_sites=PATTERN,... */

/* patterns (base/words.h): separated by commas. One of them must match the site's file, file:line,
 * function with or without its parameters, callee, type or id, or those of a function that it was inlined
 * into; of an unsited caller the module. Files and modules match from any slash on. */
bool stack_sites_select(const char *patterns, const struct record *);

/* Says which of the patterns have matched nothing. */
void stack_sites_tell(const char *patterns);

/* ---- The paths of stacks, as steps of profiles: (module, address in its file), each with the step of its
 * caller, so that stacks that are equal from somewhere outwards share what follows. To find the module of
 * an address takes some hundred instructions, so what was found lately is remembered.
 *
 * Lock-free and safe in signal handlers. */

struct steps_stack {
    uint32_t unloads_before; /* their number before the stack was walked (who/modules.h) */
    size_t count;            /* frames */
    size_t by_pointer;       /* so many of their callers were found by a frame pointer; after steps_whole */
    profile_name cut;        /* the cut path (bill/cut.h); 0: there is no memory */

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
