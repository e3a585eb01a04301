/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the hot path leaves over though sites and threads are ready: blocks in the second halves of cells, and
 * stacks that were seen before. */
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

/* The tally of the key, which is to count the block. NULL: not here. */
static inline struct tally *enter_large(struct thread *thread, uint32_t key, const void *p, uint64_t bytes,
                                        enum family family) {
    if (!p || !shadow_covers(p) || key >= thread->capacity || bytes > UINT32_MAX)
        return NULL;
    shadow_enter_large(shadow_large_entry(p), p, key + ((uint32_t)family << FAMILY_AT), (uint32_t)bytes);
    return tally_of_key(thread, key);
}

/* The same for a small block. */
static inline struct tally *enter_second(struct thread *thread, uint32_t key, const void *p, uint64_t bytes,
                                         enum family family) {
    uint32_t value;
    shadow_cell cell = shadow_encode(p, key + ((uint32_t)family << FAMILY_AT) + (uint32_t)bytes, &value);
    uint32_t *entry = shadow_entry_any(cell);
    if (!entry || key >= thread->capacity)
        return NULL;
    *entry = value;
    return tally_of_key(thread, key);
}

/* Blocks that acct_gain leaves over. */
static inline struct tally *enter_other(struct thread *thread, uint32_t key, const void *p, uint64_t bytes,
                                        enum family family) {
    return bytes < SHADOW_SMALL ? enter_second(thread, key, p, bytes, family)
                                : enter_large(thread, key, p, bytes, family);
}

static inline bool gain_any(uint32_t key, void *p, uint64_t bytes, enum family family) {
    struct thread *thread = local.seen;
    struct tally *tally = enter_other(thread, key, p, bytes, family);
    if (!tally)
        return false;
    tally_gain(thread, tally, bytes);
    sizes_count(key_slot(key), bytes);
    lifetime_begin(p);
    return true;
}

/* Takes a small block that acct_take leaves over out of the tables. */
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

/* The hot path of allocators whose blocks lie closer, for those in the second halves of cells. NULL, false:
 * the block is not one of these. */
static inline __attribute__((always_inline)) void *gain_second(uint32_t key, void *p, uint64_t bytes,
                                                               enum family family) {
    struct thread *thread = local.current;
    uint32_t entry, *second = __atomic_load_n(&shadow.second, __ATOMIC_ACQUIRE);
    shadow_cell cell = shadow_encode(p, key + (uint32_t)bytes + ((uint32_t)family << FAMILY_AT), &entry);
    cell ^= SHADOW_HALF; /* of which others have none now */
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
    return tally_gain_unseen(thread, tally, bytes) ? peak_look_gained(p, thread, tally, bytes) : p;
}

static inline bool take_second(const void *p, enum family family, const struct thread *thread,
                               uint32_t *rest) {
    uint32_t *second = __atomic_load_n(&shadow.second, __ATOMIC_ACQUIRE);
    if (!second || !((uintptr_t)p & SHADOW_CELL / 2) || !shadow_covers(p))
        return false;
    shadow_cell cell;
    *rest = acct_rest(shadow_read_less(second, p, OWN_LESS(family), &cell), family);
    if (*rest >= thread->capacity)
        return false;
    shadow_mark_freed((uint32_t *)((uintptr_t)second + cell * sizeof *second)); /* the half falls out */
    return true;
}

/* ALLOCSITE_KEY_NONE: not known yet. */
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

/* The key of what stacks are kept of is that of its part, if this one was here lately. */
static inline uint32_t key_with_stack(struct origin origin, const void *frame) {
    uint32_t key = key_for(origin);
    bool keeps_stacks = local.seen->capacity && key & KEY_SLOW && key != ALLOCSITE_KEY_NONE;
    uint64_t who = origin.site ? context_of_site(origin.site) : context_of_key(key);
    return keeps_stacks ? stack_key_seen(key, who, frame) : key;
}

/* ---- Events by the slow way (event.c): tables, tallies, and faults of the program. */

/* Has the table of blocks hold one. */
void event_enter(const void *p, uint32_t slot, enum family, uint64_t bytes);

/* A call of the allocator has come back. p: NULL: it failed. */
void event_allocated(struct origin, const void *p, uint64_t bytes, enum family);

/* The same within the runtime's own doing, and while counting is stopped. */
void event_ours(const void *p, uint64_t bytes);
void event_passed_by(const void *p, uint64_t bytes, enum family);

/* Takes the block at p out of the tables. Where there is none that may be a fault of the program's. */
struct block event_take(const void *p, struct origin by);

/* Whether the block is the program's and live. */
bool event_is_counted(const struct block *);

/* Such a block has gone: from p, where it was, given back by somebody; or without that being an event. */
void event_freed(const void *p, const struct block *, struct origin by);
void event_lost(const struct block *);

/* A realloc of such a block, and of one that nobody is known to own, has made this one. event_moved returns
 * the slot that the realloc counts for: where stacks are kept, that of its stack. */
uint32_t event_moved(const struct block *old, uint32_t slot, const void *p, uint64_t bytes);
void event_appeared(uint32_t slot, const void *p, uint64_t bytes);

/* Tells of a block that is given back by functions of another family. */
void event_report_family(const struct block *, enum family, struct origin by);

/* With temporary=1: the block is the one that the thread allocated last; and whether one is, told once: the
 * address may come again by way of another thread. */
void event_newest(const void *p);
bool event_was_newest(const void *p);

#endif
