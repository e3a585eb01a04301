/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what each of them stands for. */
#ifndef ALLOCSITE_LIB_REGISTRY_REGISTRY_H
#define ALLOCSITE_LIB_REGISTRY_REGISTRY_H

#include "format.h"
#include "lib/base/slot.h"
#include "lib/registry/modules.h"
#include "profile.h"

#include <stdbool.h>

struct module;

struct record {
    const struct allocsite_site *site; /* NULL: unsited */
    const struct module *module;       /* NULL: the slot was not used in the end */
    uint32_t what;                     /* enum profile_what */
    uint32_t parent;                   /* backing: the slot that this is a part of */
    uint64_t address;  /* unsited: where calls return to, as the module's file has it; 0: others */
    bool keeps_stacks; /* counted by stack */
    bool is_outside;   /* a caller outside instrumented code: the program's line is searched for
                          (paths/outside.h) */
};

/* A slot that is a part of another one, for what was called from one stack. There may be many. */
struct stack_record {
    uint32_t parent;    /* which is no stack; 0: nor is the slot */
    profile_name stack; /* struct profile_step of the innermost frame */
};

/* The slot of a site, given now if it has none. NO_SLOT: no memory. */
uint32_t site_slot(struct allocsite_site *);

/* A slot with that record. NO_SLOT: no memory, or there are as many as can be, and the hole is set. */
uint32_t record_add(const struct record *);
uint32_t record_add_stack(struct stack_record);

/* Of an unsited one, which was there before the options said whether it does. */
void record_keep_stacks(uint32_t slot);

/* Sets is_outside of the callers that came before the first instrumented module was known. */
void records_set_outside(void);

/* Another thread has given the same a slot. */
void record_drop(uint32_t slot);

/* The word that stands for a slot where the hot path looks: its key, with KEY_SLOW if it keeps stacks, is
 * listed or outside. */
uint32_t slot_key(uint32_t slot);

uint32_t record_count(void);

/* Of a stack: that of the slot that it is a part of, so that whoever names a slot names a part alike. NULL:
 * none.
 */
const struct record *record_at(uint32_t slot);
struct stack_record record_stack(uint32_t slot);

/* enum profile_what, for a slot that has a record. */
uint32_t record_what(uint32_t slot);

/* The function that fills in of each new record whether it keeps stacks or is listed; and who is told of it.
 * NULL: nobody. */
extern void (*record_want_stacks)(struct record *) __attribute__((visibility("hidden")));
extern void (*record_added)(uint32_t slot) __attribute__((visibility("hidden")));

/* ---- Slots that are parts of other slots: what of a slot was called from one stack, and what of it is the
 * backing of a custom allocator, which hands it out in parts. Each counts for itself, and law 1 holds for
 * each; readers add stacks up to the row that they are a part of, and backing to a row of its own.
 *
 * A part's record is that of what it is a part of but for `what`, `parent` and `stack`: whoever names a slot
 * names a part alike. Parts of parts: a stack may be of a backing, nothing else is.
 *
 * Lock-free and safe in signal handlers. A forked child goes on with its parent's parts. */

/* The backing of a slot that is no part itself, or of the one that a stack is of; made at first use, then
 * found by one look into a table. Of a backing: itself. NO_SLOT: no memory, and the hole is set. */
uint32_t part_backing(uint32_t slot);

/* Returns the part of a slot that was called from the stack with this innermost step (struct profile_step).
 * is_new: whether the step is, with which there can be no part; then whether the part is. NO_SLOT: there is
 * none and none may be added, or there is no memory. */
uint32_t part_stack(uint32_t slot, profile_name stack, bool may_add, bool *is_new);

/* Whether there is room for the part of a new stack. is_variant: one of many with the same innermost calls,
 * which may take an eighth of the room, unless part_stacks_limit was called. Once there is none, there is
 * room for half as many cut paths (PROFILE_CUT). */
bool part_stack_has_room(bool is_variant);

/* How many callers of its line a new cut path may have: the fewer the more of these paths there are. Below
 * zero: there is no room. */
enum { PART_CUT_CALLERS = 3 };
extern int part_cut_callers __attribute__((visibility("hidden")));

/* There is room for no more than so many. */
void part_stacks_limit(uint64_t most);

/* The slot whose row has it: of a stack that of which it is one, else the slot itself. */
uint32_t slot_row(uint32_t slot);

/* Whether it is backing, or a stack of one. */
bool slot_is_backing(uint32_t slot);

/* Whether what it counts is in the totals: neither backing nor the sum over all custom blocks, which the
 * other slots have. */
bool slot_is_in_totals(uint32_t slot);

#endif
