/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A walk over the frames of functions that keep contexts, which stops at the first other frame. Only on the
 * thread's own stack. Inline, because some callers look at two frames only. */
#ifndef ALLOCSITE_LIB_WALK_MARKED_H
#define ALLOCSITE_LIB_WALK_MARKED_H

#include "format.h"
#include "lib/base/macros.h"
#include "lib/walk/rule.h"
#include "lib/walk/walk.h"

#include <stdbool.h>
#include <stdint.h>

struct frame {
    uintptr_t pc, sp, fp;
};

/* The rule of a runtime function whose __builtin_frame_address(0) is both sp and fp of the frame. */
#define RULE_OWN_FRAME RULE_MAKE(RULE_POINTER, RULE_SAVED(2), 2)

/* Goes to the caller, for usual rules on the thread's own stack, which ends at end. The branch on the kind of
 * rule is deliberate: the processor predicts it, whereas a conditional move would wait for the rule to be
 * loaded. */
static inline bool frame_step_plain(struct frame *at, uint32_t rule, uintptr_t end) {
    uintptr_t cfa = at->fp + 2 * sizeof(void *), above = at->fp;
    if (rule >> RULE_KIND_AT) {
        if (rule >= RULE_MAKE(RULE_OUTERMOST, 0, 0) || at->fp % sizeof(void *) != 0 || at->fp < at->sp ||
            at->fp > end - 2 * sizeof(void *))
            return false;
        above = walk_word(at->fp);
    } else {
        cfa = at->sp + rule_offset(rule);
        if (cfa > end)
            return false;
        if (rule >> RULE_SAVED_AT)
            above = walk_word(rule_saved(rule, cfa));
    }
    *at = (struct frame){walk_word(cfa - sizeof(void *)), cfa, above};
    return true;
}

_Static_assert(ALLOCSITE_CONTEXT_FACTOR *ALLOCSITE_CONTEXT_INVERSE == 1, "");

/* Returns the context number that a function's caller has read, given the function's own number and its
 * return address. Undoes one multiplication by ALLOCSITE_CONTEXT_FACTOR. */
static inline uint64_t context_callers(uint64_t of_function, uintptr_t pc) {
    return (of_function - pc) * ALLOCSITE_CONTEXT_INVERSE;
}

struct marked_frame {
    uintptr_t pc;
    uint64_t activation; /* of the function that pc belongs to: a hash of its context and its stack pointer.
                          * Only right if the stack is certain (paths/contexts.h) */
};

#define MARKED_FACTOR 0xD6E8FEB86659FD93u

struct marked_walk {
    struct frame at;
    uint32_t rule;
    uintptr_t end;    /* of the thread's own stack; 0: the walk is on another one */
    uint64_t context; /* of the next frame */
};

/* pointer: as in walk_stack_from. context: of the function that called the function of pointer. */
static inline void marked_begin(struct marked_walk *walk, const void *pointer, uint64_t context) {
    struct walk_reads reads;
    walk_reads_begin(&reads, (uintptr_t)pointer);
    *walk = (struct marked_walk){.at = {.fp = (uintptr_t)pointer, .sp = (uintptr_t)pointer},
                                 .rule = RULE_OWN_FRAME,
                                 .end = reads.is_whole ? reads.end : 0,
                                 .context = context};
}

/* Finds the next frame outwards. is_innermost: it is the first one. Returns false if its function keeps no
 * context, or is unknown. */
static inline bool marked_next(struct marked_walk *walk, bool is_innermost, struct marked_frame *frame) {
    if (UNLIKELY(!walk->end || walk->rule >= RULE_PLAIN_END) ||
        !frame_step_plain(&walk->at, walk->rule, walk->end))
        return false;
    walk->rule = rule_at(walk->at.pc);
    if (!is_innermost)
        walk->context = context_callers(walk->context, walk->at.pc);
    *frame = (struct marked_frame){walk->at.pc, walk->context + walk->at.sp * MARKED_FACTOR};
    return walk->rule & RULE_CONTEXT;
}

#endif
