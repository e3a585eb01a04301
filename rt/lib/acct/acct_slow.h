/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts blocks that the hot path cannot count although the site and the thread are ready: blocks in the
 * second half of a cell, and blocks with stacks that were seen before. */
#ifndef ALLOCSITE_LIB_ACCT_ACCT_SLOW_H
#define ALLOCSITE_LIB_ACCT_ACCT_SLOW_H

#include "lib/acct/acct.h"
#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/count/change.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "lib/paths/origin.h"
#include "lib/paths/stacks.h"
#include "lib/registry/callers.h"

/* Enters a large block. Returns the tally that must count it; NULL: the block cannot be entered here. */
static inline struct tally *enter_large(struct thread *thread, uint32_t key, const void *p, uint64_t bytes,
                                        enum family family) {
    if (!p || !shadow_covers(p) || key >= thread->capacity || bytes > UINT32_MAX)
        return NULL;
    shadow_enter_large(shadow_large_entry(p), p, key + ((uint32_t)family << FAMILY_AT), (uint32_t)bytes);
    return tally_of_key(thread, key);
}

/* Like enter_large, for a small block. */
static inline struct tally *enter_second(struct thread *thread, uint32_t key, const void *p, uint64_t bytes,
                                         enum family family) {
    uint32_t value;
    shadow_cell cell = shadow_encode(p, key + ((uint32_t)family << FAMILY_AT) + (uint32_t)bytes, &value);
    uint32_t *entry = shadow_entry_any(cell);
    if (!entry || key >= thread->capacity)
        return NULL;
    SHADOW_ASSERT_FREE(*entry >> 1);
    *entry = value;
    return tally_of_key(thread, key);
}

/* Like both, for a block that acct_gain does not enter. */
static inline struct tally *enter_other(struct thread *thread, uint32_t key, const void *p, uint64_t bytes,
                                        enum family family) {
    return bytes < SHADOW_SMALL ? enter_second(thread, key, p, bytes, family)
                                : enter_large(thread, key, p, bytes, family);
}

static inline bool gain_any(uint32_t key, void *p, uint64_t bytes, enum family family) {
    struct thread *thread = local.free_view;
    struct tally *tally = enter_other(thread, key, p, bytes, family);
    if (!tally)
        return false;
    tally_gain(thread, tally, bytes);
    sizes_count(key_slot(key), bytes);
    lifetime_begin(p);
    return true;
}

/* Removes a small block that acct_take does not find from the tables. Returns false if it is none, or if this
 * thread has no tally for its slot. */
static inline bool take_other(const void *p, enum family family, const struct thread *thread, uint32_t *key,
                              uint32_t *bytes) {
    uint32_t half, *entry = shadow_entry_any(shadow_find_cell(p, &half));
    if (!entry)
        return false;
    uint32_t value = shadow_value(*entry, half);
    uint32_t of_family = family == FAMILY_ANY ? value & 3u << FAMILY_AT : (uint32_t)family << FAMILY_AT;
    *key = (value - of_family) & -KEY(1);
    *bytes = value & (SHADOW_SMALL - 1);
    if (*key - KEY(1) >= thread->capacity)
        return false;
    shadow_mark_freed(entry);
    return true;
}

/* The hot path for blocks in the second half of a cell, which allocators with adjacent blocks of 16 bytes
 * return. gain_second returns NULL and take_second false if the block is none of these. */
static inline __attribute__((always_inline)) void *gain_second(uint32_t key, void *p, uint64_t bytes,
                                                               enum family family) {
    struct thread *thread = local.alloc_view;
    uint32_t entry, *second = __atomic_load_n(&shadow.second, __ATOMIC_ACQUIRE);
    shadow_cell cell = shadow_encode(p, key + (uint32_t)bytes + ((uint32_t)family << FAMILY_AT), &entry);
    cell ^= SHADOW_HALF; /* bits of a shadow_cell that make shadow_fits accept only the second half */
    if (!shadow_fits(cell) || key >= thread->capacity)
        return NULL;
    if (LIKELY(bytes < SHADOW_SMALL && second))
        *shadow_entry_in(second, cell) = entry;
    else if (bytes >= SHADOW_SMALL && bytes <= UINT32_MAX)
        shadow_enter_large(shadow_large_entry(p), p, key + ((uint32_t)family << FAMILY_AT), (uint32_t)bytes);
    else
        return NULL;
    if (!p)
        __builtin_unreachable();
    struct tally *tally = tally_of_key(thread, key);
    return tally_gain_unseen(thread, tally, bytes) ? peak_look_allocated(p, thread, tally, bytes) : p;
}

static inline bool take_second(const void *p, enum family family, const struct thread *thread,
                               uint32_t *key_bits) {
    uint32_t *second = __atomic_load_n(&shadow.second, __ATOMIC_ACQUIRE);
    if (!second || !((uintptr_t)p & SHADOW_CELL / 2) || !shadow_covers(p))
        return false;
    shadow_cell cell;
    *key_bits = acct_key_bits(shadow_read_less(second, p, OWN_LESS(family), &cell), family);
    if (*key_bits >= thread->capacity)
        return false;
    shadow_mark_freed((uint32_t *)((uintptr_t)second + cell * sizeof *second)); /* shifts the half out */
    return true;
}

/* Returns the key if it is known without a look-up, otherwise ALLOCSITE_KEY_NONE. */
static inline uint32_t key_at_hand(struct origin origin) {
    if (origin.site)
        return origin.site->key;
    return local.silent ? ALLOCSITE_KEY_NONE : caller_key_cached(origin.caller);
}

static inline uint32_t key_for(struct origin origin) {
    if (origin.site)
        return origin.site->key;
    return local.silent ? ALLOCSITE_KEY_NONE : caller_key(origin.caller);
}

/* Like key_for, but for a slot that keeps stacks returns the key of the stack's part, or ALLOCSITE_KEY_NONE
 * if the stack was not seen lately. */
static inline uint32_t key_with_stack(struct origin origin, const void *frame) {
    uint32_t key = key_for(origin);
    bool keeps_stacks = local.free_view->capacity && key & KEY_SLOW && key != ALLOCSITE_KEY_NONE;
    uint64_t caller_id = origin.site ? context_of_site(origin.site) : context_of_key(key);
    return keeps_stacks ? stack_key_checked(key, caller_id, frame) : key;
}

/* ---- Events on the slow path (event.c): the tables, the tallies, and faults of the program. */

/* Enters a block in the shadow table. Sets GAP_OWNERS if that fails. */
void event_enter(const void *p, uint32_t slot, enum family, uint64_t bytes);

/* Counts an allocation that has returned. p: NULL if it failed. */
void event_allocated(struct origin, const void *p, uint64_t bytes, enum family);

/* Enter a block without counting it: event_ours for allocations of the runtime itself, event_passed_by while
 * counting is stopped. */
void event_ours(const void *p, uint64_t bytes);
void event_passed_by(const void *p, uint64_t bytes, enum family);

/* Removes the block at p from the tables and returns it. If there is no live block, counts a fault of the
 * program if this is certain. */
struct block event_take(const void *p, struct origin by);

/* Returns whether the block is live and is the program's. */
bool event_is_counted(const struct block *);

/* Count that such a block is gone. event_freed is for a block that was freed at p: it also calls the hook and
 * counts the pair. */
void event_freed(const void *p, const struct block *, struct origin by);
void event_released(const struct block *);

/* Count a realloc that returned p: event_moved if the old block has a known owner, event_appeared if not.
 * event_moved returns the slot that the realloc is counted for: with stacks, the slot of the stack. */
uint32_t event_moved(const struct block *old, uint32_t slot, const void *p, uint64_t bytes);
void event_appeared(uint32_t slot, const void *p, uint64_t bytes);

/* Counts a fault if the block is freed by a function of another family. */
void event_report_family(const struct block *, enum family, struct origin by);

/* For temporary=1. event_newest records the block that the thread allocated last. event_was_newest returns
 * whether p is this block, and forgets it, because another thread may reuse the address. */
void event_newest(const void *p);
bool event_was_newest(const void *p);

#endif
