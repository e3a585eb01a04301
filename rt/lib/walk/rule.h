/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rules: how a walk gets from a frame to its caller's frame. A rule is one 32-bit number, so one word of the
 * table holds an address and its rule, and the table needs no lock.
 *
 *   bits 0..15   CFA - register, in words
 *   bit 16       its function keeps its calling context (plugin/emit/contexts.cpp)
 *   bit 17       ... and is pass-through
 *   bits 18..27  RULE_SAVED_FROM - n: the caller's frame pointer is saved n words below the CFA; 0: it is not
 *                saved
 *   bits 28..30  enum rule_kind
 *   bit 31       the code belongs to the runtime
 *
 * With this order of bits one comparison tests that the address matches and that its rule is a usual one, and
 * each field of the first kind takes one instruction. The table uses 0 for an empty word. */
#ifndef ALLOCSITE_LIB_WALK_RULE_H
#define ALLOCSITE_LIB_WALK_RULE_H

#include "cfi/cfi.h"
#include "lib/base/macros.h"
#include "lib/count/tally.h"
#include "lib/walk/walk.h"

#include <stdbool.h>

enum rule_kind {
    RULE_SP,        /* CFA = stack pointer + offset */
    RULE_POINTER,   /* CFA = frame pointer + offset, where the register is a real frame pointer */
    RULE_OUTERMOST, /* the function has no caller */
    RULE_GUESS,     /* like RULE_POINTER, but only a guess: the code has no tables */
    RULE_FP,        /* CFA = frame pointer register + offset, where the register has another use */
    RULE_HARD,      /* needs other registers than these two */
    RULE_NOWHERE,   /* the address is not code */
};

#define RULE_OFFSET_MOST UINT16_MAX
#define RULE_CONTEXT     (1u << 16)
#define RULE_PASSES      (1u << 17)
#define RULE_SAVED_AT    18
#define RULE_SAVED_FROM  (1u << (RULE_KIND_AT - RULE_SAVED_AT))
#define RULE_KIND_AT     28
#define RULE_RUNTIME     (1u << 31)
#define RULE_BITS        32

/* The value of the field for a frame pointer that is saved this many words below the CFA, and the value for a
 * frame pointer that is not saved. */
#define RULE_SAVED(words) ((RULE_SAVED_FROM - (words)) << RULE_SAVED_AT)
#define RULE_NOT_SAVED    0u

#define RULE_MAKE(kind, saved, offset)                                                                       \
    ((uint32_t)(kind) << RULE_KIND_AT | (uint32_t)(saved) | (uint32_t)(offset))

/* Smaller rules are of the first three kinds and belong to the program's code. */
#define RULE_PLAIN_END RULE_MAKE(RULE_GUESS, 0, 0)

/* Frame pointer chain: the register points to the caller's frame pointer, below the return address. */
#define RULE_GUESSED RULE_MAKE(RULE_GUESS, RULE_SAVED(2), 2)

/* The rule of the code that a signal handler returns to. The kernel has stored the registers of the
 * interrupted function above the stack pointer, in a ucontext_t. */
#define RULE_SIGNAL RULE_MAKE(RULE_HARD, RULE_NOT_SAVED, 1)

enum { SIGNAL_FP = 120, SIGNAL_SP = 160, SIGNAL_PC = 168, SIGNAL_SIZE = 176 };

/* The limit of signal frames in a walk: each may be on another stack, so addresses need not ascend. */
#define SIGNALS_MOST 16

static inline enum rule_kind rule_kind(uint32_t rule) {
    return (enum rule_kind)(rule >> RULE_KIND_AT & 7);
}

static inline bool rule_leads_on(uint32_t rule) {
    return rule_kind(rule) < RULE_HARD && rule_kind(rule) != RULE_OUTERMOST;
}

static inline bool rule_is_signal(uint32_t rule) {
    return (rule & ~RULE_RUNTIME) == RULE_SIGNAL;
}

static inline bool rule_saves(uint32_t rule) {
    return rule >> RULE_SAVED_AT & (RULE_SAVED_FROM - 1);
}

/* Returns the address of the caller's saved frame pointer. */
static inline uintptr_t rule_saved(uint32_t rule, uintptr_t cfa) {
    uintptr_t words = rule >> RULE_SAVED_AT & (RULE_SAVED_FROM - 1);
    return cfa - RULE_SAVED_FROM * sizeof(void *) + words * sizeof(void *);
}

/* Returns the distance in bytes. */
static inline uintptr_t rule_offset(uint32_t rule) {
    return (uint16_t)rule * sizeof(void *);
}

/* Addresses of code have 48 bits. The low bits choose a word of the table, which stores the other bits. */
#define RULE_TABLE_BITS 16
extern uint64_t rule_table[1u << RULE_TABLE_BITS] __attribute__((visibility("hidden")));

static inline uint64_t *rule_word(uintptr_t pc) {
    return &rule_table[(pc ^ pc >> RULE_TABLE_BITS) & ((1u << RULE_TABLE_BITS) - 1)];
}

static inline uint64_t rule_tag(uintptr_t pc) {
    return (uint64_t)(pc >> RULE_TABLE_BITS) << RULE_BITS;
}

/* Returns whether pc can be an address of code. */
static inline bool rule_is_address(uintptr_t pc) {
    return pc >= 4096 && pc >> (RULE_TABLE_BITS + 64 - RULE_BITS) == 0;
}

/* Makes the rule of a return address and keeps it in the table. */
uint32_t rule_find(uintptr_t pc);

/* Returns the kept rule of pc; 0, or more than any rule, if the word is empty or another address's. */
static inline uint64_t rule_kept(uintptr_t pc) {
    return __atomic_load_n(rule_word(pc), __ATOMIC_RELAXED) ^ rule_tag(pc);
}

static inline uint32_t rule_at(uintptr_t pc) {
    uint64_t rule = rule_kept(pc);
    return LIKELY(rule - 1 < (UINT64_C(1) << RULE_BITS) - 1) ? (uint32_t)rule : rule_find(pc);
}

/* ---- The module of an address (module.c): where its code and its unwind tables are.
 *
 * Lock-free and safe in signal handlers. */

enum walk_where {
    WALK_NO_MODULE, /* in no module, perhaps code made at run time */
    WALK_DATA,      /* in a module, but not in its code */
    WALK_CODE,
};

enum walk_frame {
    WALK_UNKNOWN, /* no table describes its frame */
    WALK_FIRST, /* it has no caller: the address was written where a return address is expected (makecontext)
                 */
    WALK_HAS_ROW,
};

/* Describes the frame of the code at pc. is_next: pc is the next instruction to run (after a signal).
 * Otherwise pc is a return address, and the call before it may be the last instruction of its function.
 * tables and row are set for WALK_HAS_ROW. */
struct walk_place {
    enum walk_where where;
    enum walk_frame frame;
    struct cfi_tables tables;
    struct cfi_row row;
};
void walk_place_find(struct walk_place *, uintptr_t pc, bool is_next);

/* Returns whether address is in the runtime's code. */
bool walk_is_runtime(uintptr_t address);

#endif
