/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots and their records: what each slot represents. */
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
    const struct module *module;       /* NULL: the slot was not used */
    uint32_t what;                     /* enum profile_what */
    uint32_t parent;                   /* of chunks or mappings: the slot that it is a part of */
    uint64_t address;  /* unsited: the return address relative to the module's file; 0 for others */
    bool keeps_stacks; /* counted by call stack */
    bool is_outside;   /* a caller outside instrumented code: its allocations are attributed to a line of the
                          program (paths/outside.h) */
};

/* The record of a slot's part that was called from one stack. Small, because there may be many. */
struct stack_record {
    uint32_t parent;    /* never a stack itself; 0: the slot is no stack */
    profile_name stack; /* struct profile_step of its innermost frame */
};

/* Returns the slot of a site, and assigns one if it has none. NO_SLOT: memory is out. */
uint32_t site_slot(struct allocsite_site *);

/* Return a new slot with that record. NO_SLOT, and the gap is set, if memory or the slots are exhausted. */
uint32_t record_add(const struct record *);
uint32_t record_add_stack(struct stack_record);

/* Sites and callers keep stacks from now on. A slot that is older than the options
 * keeps stacks only if it is a caller, because the keys of sites are in use. */
void records_keep_stacks(void);

/* Updates is_outside of callers that were recorded before the first instrumented module was known. */
void records_set_outside(void);

/* Drops a slot because another thread has assigned one for the same thing. */
void record_drop(uint32_t slot);

/* Returns the key that the hot path reads; with KEY_SLOW if the slot keeps stacks or is outside. */
uint32_t slot_key(uint32_t slot);

uint32_t record_count(void);

/* record_at returns the record of a slot; NULL if the slot is unused. A stack has no record of its own and
 * returns its parent's, so callers can name both alike. record_stack returns zeros for a slot that is no
 * stack. */
const struct record *record_at(uint32_t slot);
struct stack_record record_stack(uint32_t slot);

/* Returns an enum profile_what, for a slot that has a record. */
uint32_t record_what(uint32_t slot);

/* Called for each new slot; or NULL. */
extern void (*record_added)(uint32_t slot) __attribute__((visibility("hidden")));

/* ---- Slots that are parts of other slots: the allocations of a slot from one call stack, the chunks that
 * a custom allocator divides, and its mappings. Each part is counted separately, and law 1 holds
 * for each. Readers add stacks to the row of their slot; chunks and mappings are in no total and have rows
 * of their own.
 *
 * A part's record is its slot's except for `what`, `parent` and `stack`, so callers can name both alike. The
 * only part of a part is a stack of chunks or mappings.
 *
 * Lock-free and safe in signal handlers. A forked child continues with its parent's parts. */

/* Returns the part of a slot, or of a stack's slot, that is in no total; for such a part the slot itself.
 * what: PROFILE_CUSTOM_CHUNK or PROFILE_MAPPED. The first call makes it, later calls look it up in a table.
 * NO_SLOT, and the gap is set, if memory is out. */
uint32_t part_uncounted(uint32_t slot, uint32_t what);

/* Returns the part of a slot for the stack with this innermost step (struct profile_step). *is_new on entry:
 * the step is new, so no part exists; on return: the part is new. NO_SLOT if there is none and may_add is
 * false, or memory is out. */
uint32_t part_stack(uint32_t slot, profile_name stack, bool may_add, bool *is_new);

/* Returns whether there is room for the part of another stack. is_variant: one of many stacks with the same
 * innermost calls. These may use a quarter of the room, unless part_stacks_limit was called. When the room is
 * used up, there is room for half as many cut paths (PROFILE_CUT). */
bool part_stack_has_room(bool is_variant);

/* The number of callers above its line that a new cut path may have. It decreases as the number of cut paths
 * grows; below zero, there is no room for another cut path. */
enum { PART_CUT_CALLERS = 3 };
extern int part_cut_callers __attribute__((visibility("hidden")));

/* Limits the number of stacks. */
void part_stacks_limit(uint64_t most);

/* Returns the slot whose row shows it: a stack's parent, otherwise the slot itself. */
uint32_t slot_row(uint32_t slot);

/* Returns whether the slot counts chunks or mappings, or is a stack of these. */
bool slot_is_uncounted(uint32_t slot);

/* Returns whether its counts are in the totals. Chunks and mappings are not, nor is the sum over all custom
 * blocks, which other slots include already. */
bool slot_is_in_totals(uint32_t slot);

#endif
