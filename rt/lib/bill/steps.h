/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Return addresses of a stack as steps of profiles: (module, address in its file), each with the step of its
 * caller, so that stacks that are equal from somewhere outwards share what follows. To find the module of an
 * address takes some hundred instructions, so what was found lately is remembered.
 *
 * Lock-free and safe in signal handlers. */
#ifndef ALLOCSITE_LIB_BILL_STEPS_H
#define ALLOCSITE_LIB_BILL_STEPS_H

#include "lib/store/store.h"
#include "lib/walk/walk.h"

#include <stddef.h>

struct steps_stack {
    profile_name step; /* of the innermost frame; 0: there is no room for more, or it is not known and none
                          may be added */
    bool is_new;       /* the step has just been added, and there is no thread that can have built on it */
    size_t count;      /* frames, of which so many callers were found by a frame pointer */
    size_t by_pointer;
};

/* Of so many frames, innermost first; fills in the rest. unloads_before: their number before the stack was
 * walked (who/modules.h). */
void steps_find(struct steps_stack *, const void *const *frames, bool may_add, uint32_t unloads_before);

/* The functions of the stack that was looked for last, and has that step, keep their contexts, and nothing
 * that does not is among its frames but at the root: so what is called from one of them is known by their
 * numbers. Without effect if another one has been looked for since. frame, context: as walk_marked has them.
 */
void steps_know(profile_name step, const void *frame, uint64_t context);

/* A stack that has its outer frames in common with that one. Walks only what the last one did not have.
 * False: it has nothing in common. */
bool steps_find_known(struct steps_stack *, const void *frame, uint64_t context, bool may_add,
                      uint32_t unloads_before);

#endif
