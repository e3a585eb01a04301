/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rules: how a walk gets from a frame to the one of its caller, in one number each, so that a word of the
 * table that keeps them holds both the address and the rule and needs no lock.
 *
 *   bits 0..2    enum rule_kind
 *   bit 3        the code is the runtime's own
 *   bit 4        its function keeps its calling context (plugin/emit/contexts.cpp)
 *   bits 5..14   where the caller's frame pointer is saved: that many words below the CFA; 1: it was not
 *   bits 15..30  CFA - register, in words */
#ifndef ALLOCSITE_LIB_WALK_RULE_H
#define ALLOCSITE_LIB_WALK_RULE_H

#include "lib/base/macros.h"
#include "lib/count/tally.h"
#include "lib/walk/walk.h"

#include <stdbool.h>

enum rule_kind {
    RULE_UNKNOWN,
    RULE_SP,        /* the CFA is told by the stack pointer, ... */
    RULE_FP,        /* ... by the frame pointer register, ... */
    RULE_POINTER,   /* which there is a real frame pointer, ... */
    RULE_GUESS,     /* or perhaps is: nothing else is known */
    RULE_OUTERMOST, /* nobody called it */
    RULE_HARD,      /* needs more registers than these two */
    RULE_NOWHERE,   /* the address is not one of code */
};

#define RULE_OWN         (1u << 3)
#define RULE_CONTEXT     (1u << 4)
#define RULE_SAVED_AT    5
#define RULE_OFFSET_AT   15
#define RULE_BITS        31

#define RULE_SAVED_MOST  ((1u << (RULE_OFFSET_AT - RULE_SAVED_AT)) - 1)
#define RULE_OFFSET_MOST ((1u << (RULE_BITS - RULE_OFFSET_AT)) - 1)

#define RULE_MAKE(kind, saved, offset)                                                                       \
    ((uint32_t)(kind) | (uint32_t)(saved) << RULE_SAVED_AT | (uint32_t)(offset) << RULE_OFFSET_AT)

/* A frame pointer points to where its caller's is saved, and the return address is above that. */
#define RULE_GUESSED RULE_MAKE(RULE_GUESS, 2, 2)

/* Of what a signal handler returns to: the kernel has put the registers of what it interrupted above the
 * stack pointer, in a ucontext_t. */
#define RULE_SIGNAL RULE_MAKE(RULE_HARD, 0, 1)

enum { SIGNAL_FP = 120, SIGNAL_SP = 160, SIGNAL_PC = 168, SIGNAL_SIZE = 176 };

/* Each may be on another stack than the one before, so that no order of addresses ends the walk. */
#define SIGNALS_MOST 16

static inline enum rule_kind rule_kind(uint32_t rule) {
    return (enum rule_kind)(rule & 7);
}

static inline bool rule_is_signal(uint32_t rule) {
    return (rule & ~RULE_OWN) == RULE_SIGNAL;
}

/* In bytes. */
static inline uintptr_t rule_saved(uint32_t rule) {
    return (rule >> RULE_SAVED_AT & RULE_SAVED_MOST) * sizeof(void *);
}

static inline uintptr_t rule_offset(uint32_t rule) {
    return (rule >> RULE_OFFSET_AT) * sizeof(void *);
}

/* Addresses of code have 48 bits: the low ones choose the word, which keeps the others. */
#define RULE_TABLE_BITS 15
extern uint64_t rule_table[1u << RULE_TABLE_BITS] __attribute__((visibility("hidden")));

static inline uint64_t *rule_word(uintptr_t pc) {
    return &rule_table[(pc ^ pc >> RULE_TABLE_BITS) & ((1u << RULE_TABLE_BITS) - 1)];
}

static inline uint64_t rule_tag(uintptr_t pc) {
    return (uint64_t)(pc >> RULE_TABLE_BITS) << RULE_BITS;
}

/* Whether code can be there. */
static inline bool rule_is_address(uintptr_t pc) {
    return pc >= 4096 && pc >> (RULE_TABLE_BITS + 64 - RULE_BITS) == 0;
}

/* Of a return address, for the first time. */
uint32_t rule_find(uintptr_t pc);

static inline uint32_t rule_at(uintptr_t pc) {
    uint64_t rule = __atomic_load_n(rule_word(pc), __ATOMIC_RELAXED) ^ rule_tag(pc);
    if (LIKELY(rule - 1 < (UINT64_C(1) << RULE_BITS) - 1))
        return (uint32_t)rule;
    return rule_find(pc);
}

#endif
