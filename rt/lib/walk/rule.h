/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rules: how a walk gets from a frame to the one of its caller, in one number each, so that a word of the
 * table that keeps them holds both the address and the rule and needs no lock.
 *
 *   bits 0..15   CFA - register, in words
 *   bit 16       its function keeps its calling context (plugin/emit/contexts.cpp)
 *   bit 17       and passes through
 *   bits 18..27  where the caller's frame pointer is saved: that many words below the CFA, taken from
 *                RULE_SAVED_FROM; 0: it was not
 *   bits 28..30  enum rule_kind
 *   bit 31       the code is the runtime's own
 *
 * So one comparison tells the usual rules of the right address from all else, and each field of the first
 * kind takes an instruction. 0 is none. */
#ifndef ALLOCSITE_LIB_WALK_RULE_H
#define ALLOCSITE_LIB_WALK_RULE_H

#include "cfi/cfi.h"
#include "lib/base/macros.h"
#include "lib/count/tally.h"
#include "lib/walk/walk.h"

#include <stdbool.h>

enum rule_kind {
    RULE_SP,        /* the CFA is told by the stack pointer, ... */
    RULE_POINTER,   /* ... by the frame pointer register, which there is a real frame pointer, ... */
    RULE_OUTERMOST, /* nobody called it */
    RULE_GUESS,     /* as RULE_POINTER, perhaps: nothing else is known */
    RULE_FP,        /* the CFA is told by that register, which is used as any other */
    RULE_HARD,      /* needs more registers than these two */
    RULE_NOWHERE,   /* the address is not one of code */
};

#define RULE_OFFSET_MOST UINT16_MAX
#define RULE_CONTEXT     (1u << 16)
#define RULE_PASSES      (1u << 17)
#define RULE_SAVED_AT    18
#define RULE_SAVED_FROM  (1u << (RULE_KIND_AT - RULE_SAVED_AT))
#define RULE_KIND_AT     28
#define RULE_OWN         (1u << 31)
#define RULE_BITS        32

/* Where it is saved so far below the CFA; not at all. */
#define RULE_SAVED(words) ((RULE_SAVED_FROM - (words)) << RULE_SAVED_AT)
#define RULE_NOT_SAVED    0u

#define RULE_MAKE(kind, saved, offset)                                                                       \
    ((uint32_t)(kind) << RULE_KIND_AT | (uint32_t)(saved) | (uint32_t)(offset))

/* Rules below are of the first three kinds and of the program's code. */
#define RULE_PLAIN_END RULE_MAKE(RULE_GUESS, 0, 0)

/* A frame pointer points to where its caller's is saved, and the return address is above that. */
#define RULE_GUESSED RULE_MAKE(RULE_GUESS, RULE_SAVED(2), 2)

/* Of what a signal handler returns to: the kernel has put the registers of what it interrupted above the
 * stack pointer, in a ucontext_t. */
#define RULE_SIGNAL RULE_MAKE(RULE_HARD, RULE_NOT_SAVED, 1)

enum { SIGNAL_FP = 120, SIGNAL_SP = 160, SIGNAL_PC = 168, SIGNAL_SIZE = 176 };

/* Each may be on another stack than the one before, so that no order of addresses ends the walk. */
#define SIGNALS_MOST 16

static inline enum rule_kind rule_kind(uint32_t rule) {
    return (enum rule_kind)(rule >> RULE_KIND_AT & 7);
}

static inline bool rule_leads_on(uint32_t rule) {
    return rule_kind(rule) < RULE_HARD && rule_kind(rule) != RULE_OUTERMOST;
}

static inline bool rule_is_signal(uint32_t rule) {
    return (rule & ~RULE_OWN) == RULE_SIGNAL;
}

static inline bool rule_saves(uint32_t rule) {
    return rule >> RULE_SAVED_AT & (RULE_SAVED_FROM - 1);
}

/* Where the caller's frame pointer is then. */
static inline uintptr_t rule_saved(uint32_t rule, uintptr_t cfa) {
    uintptr_t words = rule >> RULE_SAVED_AT & (RULE_SAVED_FROM - 1);
    return cfa - RULE_SAVED_FROM * sizeof(void *) + words * sizeof(void *);
}

/* In bytes. */
static inline uintptr_t rule_offset(uint32_t rule) {
    return (uint16_t)rule * sizeof(void *);
}

/* Addresses of code have 48 bits: the low ones choose the word, which keeps the others. */
#define RULE_TABLE_BITS 16
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

/* Larger than any rule, or 0: what is kept is another address's. */
static inline uint64_t rule_kept(uintptr_t pc) {
    return __atomic_load_n(rule_word(pc), __ATOMIC_RELAXED) ^ rule_tag(pc);
}

static inline uint32_t rule_at(uintptr_t pc) {
    uint64_t rule = rule_kept(pc);
    return LIKELY(rule - 1 < (UINT64_C(1) << RULE_BITS) - 1) ? (uint32_t)rule : rule_find(pc);
}

/* ---- The module that an address is in (module.c), as far as walks need it: where its code and its unwind
 * tables are.
 *
 * Lock-free and safe in signal handlers. */

enum walk_where {
    WALK_NO_MODULE, /* perhaps code that was made at run time */
    WALK_DATA,      /* a module, which has no code there */
    WALK_CODE,
};

enum walk_frame {
    WALK_UNTOLD, /* no table tells of its frame */
    WALK_BEGUN,  /* nobody called it: its address was put where the return address of another is (makecontext)
                  */
    WALK_TOLD,
};

/* The frame of code at pc, as far as it is known. is_next: pc is the next instruction (after a signal), and
 * not what stands behind a call, which may be the last instruction of its function. tables, row: filled in if
 * it is told. */
struct walk_place {
    enum walk_where where;
    enum walk_frame frame;
    struct cfi_tables tables;
    struct cfi_row row;
};
void walk_place_find(struct walk_place *, uintptr_t pc, bool is_next);

/* Whether it is in the runtime. */
bool walk_is_own(uintptr_t address);

#endif
