/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting what happens to blocks: everything but the hot path. */
#include "lib/own/own.h"

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/bill/origin.h"
#include "lib/bill/scope.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "lib/who/registry.h"

#include "lib/behind/custom.h"
#include "lib/bill/contexts.h"
#include "lib/bill/stacks.h"
#include "lib/count/change.h"
#include "lib/count/lifetimes.h"
#include "lib/count/pairs.h"
#include "lib/count/threads.h"
#include "lib/heap/next.h"
#include "lib/heap/operators.h"
#include "lib/heap/rebind.h"
#include "lib/hook/hook.h"
#include "lib/own/own_other.h"
#include "lib/who/parts.h"

#include <errno.h>

static void enter(const void *p, uint32_t slot, enum family family, uint64_t bytes) {
    if (runtime_owners && !shadow_put(p, slot, family, bytes))
        hole_set(HOLE_OWNERS);
}

/* A block that is not counted, neither now nor when it goes. */
static void enter_uncounted(const void *p, uint64_t bytes, enum family family) {
    if (p && !runtime_off && runtime_owners)
        shadow_put(p, SLOT_OURS, family, bytes);
}

/* Backing is no block of the program's, so that it does not matter how long it lives. */
static void enter_share(const void *p, struct share share, enum family family) {
    enter(p, share.slot, share.is_backing ? FAMILY_BACKING : family, share.bytes);
    if (!share.is_backing)
        lifetime_begin(p);
}

static void gain(uint32_t slot, const void *p, uint64_t bytes, enum family family) {
    struct share share = origin_share(slot, bytes);
    if (change_gain(share))
        enter_share(p, share, family);
    hook_event(ALLOCSITE_EVENT_ALLOC, share.slot, p, bytes, 0);
}

static struct share share_of_block(const struct block *block) {
    return (struct share){block->slot, block->family == FAMILY_BACKING, block->size};
}

static void lose(const struct block *block) {
    change_lose(share_of_block(block));
    lifetime_end(block->slot, block->birth);
}

static void move(const struct block *old, uint32_t slot, const void *p, uint64_t bytes) {
    struct share share = origin_share(slot, bytes);
    lifetime_end(old->slot, old->birth);
    if (change_move(share_of_block(old), share))
        enter_share(p, share, FAMILY_MALLOC);
    hook_event(ALLOCSITE_EVENT_REALLOC, share.slot, p, bytes, old->size);
}

/* A realloc of a block that nobody is known to own. */
static void appear(uint32_t slot, const void *p, uint64_t bytes) {
    struct share share = origin_share(slot, bytes);
    if (change_appear(share))
        enter_share(p, share, FAMILY_MALLOC);
    hook_event(ALLOCSITE_EVENT_REALLOC, share.slot, p, bytes, 0);
}

static void fail(uint32_t slot) {
    change_fail(origin_share(slot, 0).slot);
}

void count_failed(uint32_t slot) {
    int error = errno;
    if (runtime_counts() && !threads_are_paused())
        fail(slot);
    errno = error;
}

void count_gained(uint32_t slot, const void *p, uint64_t bytes, enum family family) {
    int error = errno;
    if (threads_are_paused())
        enter_uncounted(p, bytes, family);
    else if (runtime_counts())
        gain(slot, p, bytes, family);
    errno = error;
}

/* Where an event is billed, and as what. */
struct bill {
    uint32_t slot;
    enum family family;
    uint64_t bytes;
    struct scope *scope; /* that takes it; NULL: none */
};

static struct bill bill_for(struct origin origin, const void *p, uint64_t bytes, enum family family) {
    struct scope *scope = &local.scope;
    struct bill bill = {.family = family, .bytes = bytes};
    uint32_t handover = origin.site ? 0 : handover_take();
    if (handover)
        bill.slot = handover - 1;
    else if (scope_takes(scope, bytes) && (!origin.site || scope->lifts))
        bill = (struct bill){scope->slot, scope->family, scope_billed(scope, p, bytes), scope};
    else
        bill.slot = origin.site ? site_slot(origin.site) : unsited_owner(origin.caller);
    return bill;
}

/* Blocks that the C library allocates for the runtime are not counted, but whoever frees one may do so when
 * the runtime does not see it coming. */
static void gain_ours(const void *p, uint64_t bytes) {
    local.heard = true;
    enter_uncounted(p, bytes, FAMILY_MALLOC);
}

/* While counting is stopped. */
static void pass_by(struct origin origin, const void *p, uint64_t bytes, enum family family) {
    if (!origin.site)
        handover_take();
    enter_uncounted(p, bytes, family);
}

static void count_alloc(struct origin origin, const void *p, uint64_t bytes, enum family family) {
    struct bill bill = bill_for(origin, p, bytes, family);
    if (p)
        gain(bill.slot, p, bill.bytes, bill.family);
    else if (!bill.scope)
        fail(bill.slot);
}

static void mark_uncounted(const void *p, uint64_t bytes, struct origin origin) {
    if (!origin.site)
        handover_take();
    if (runtime_owners)
        shadow_put_apart(p, SLOT_OURS, FAMILY_MALLOC, bytes);
}

static void mark_counted(const void *p, uint64_t bytes, struct origin origin) {
    struct bill bill = bill_for(origin, p, bytes, FAMILY_MALLOC);
    struct share share = origin_share(bill.slot, bill.bytes);
    enum family family = share.is_backing ? FAMILY_BACKING : bill.family;
    if (change_gain(share) && runtime_owners && !shadow_put_apart(p, share.slot, family, share.bytes))
        hole_set(HOLE_OWNERS);
    if (!share.is_backing)
        lifetime_begin(p);
    hook_event(ALLOCSITE_EVENT_ALLOC, share.slot, p, bytes, 0);
}

void own_mark(const void *p, uint64_t bytes, struct origin origin) {
    int error = errno;
    if (threads_are_paused())
        mark_uncounted(p, bytes, origin);
    else if (runtime_counts())
        mark_counted(p, bytes, origin);
    errno = error;
}

static inline uint32_t key_for(struct origin origin) {
    if (origin.site)
        return origin.site->key;
    return local.diverted ? ALLOCSITE_KEY_NONE : unsited_key(origin.caller);
}

/* The rest is mostly for a scope. */
static bool gain_quickly(struct origin origin, void *p, uint64_t bytes, enum family family) {
    struct scope *scope = &local.scope;
    struct thread *thread = local.own; /* not current, which hides it within a scope that lifts */
    if (!p || !thread || sizes_wanted || births_wanted || local.silent || local.handover || local.ending ||
        local.custom)
        return false;
    uint32_t key = origin.site ? origin.site->key : KEY(scope->slot);
    if (origin.site ? scope->active : !scope_takes(scope, bytes))
        return false;
    if (key >= thread->capacity || stacks_depth)
        return false;
    if (!origin.site) {
        bytes = scope_billed(scope, p, bytes);
        family = scope->family;
    }
    enter(p, key >> KEY_SHIFT, family, bytes);
    if (runtime_owners)
        tally_gain(thread, tally_of_key(thread, key), bytes);
    else
        tally_gain_alone(tally_of_key(thread, key), bytes);
    return true;
}

/* The key of what stacks are kept of is that of its part, if this one was here lately. */
static inline uint32_t key_with_stack(struct origin origin, const void *frame) {
    uint32_t key = key_for(origin);
    bool keeps_stacks = local.current->capacity && key & KEY_SLOW && key != ALLOCSITE_KEY_NONE;
    return keeps_stacks ? stack_key_seen(key_slot(key), frame) : key;
}

/* Its caller has to be looked up, or it is in the second half of a cell. */
static bool gain_unsited(struct origin origin, void *p, uint64_t bytes, enum family family) {
    return gain_any(local.current->capacity ? key_for(origin) : ALLOCSITE_KEY_NONE, p, bytes, family);
}

/* With temporary=1 no thread is to be seen, and so all come here and to own_free. */
static void note_newest(const void *p) {
    if (runtime_temporary && p && !local.silent)
        local.newest = p;
}

static void *alloc_slow(struct origin origin, void *p, uint64_t bytes, enum family family) {
    note_newest(p);
    if (!origin.site && gain_unsited(origin, p, bytes, family))
        return p;
    if (runtime_off || gain_quickly(origin, p, bytes, family))
        return p;
    int error = errno;
    if (local.silent)
        gain_ours(p, bytes);
    else if (threads_are_paused())
        pass_by(origin, p, bytes, family);
    else if (runtime_counts())
        count_alloc(origin, p, bytes, family);
    errno = error;
    return p;
}

/* The key of a site's part, if its context was here lately; its own if there is no room for more. */
static inline uint32_t context_key(const struct allocsite_site *site, const void *frame) {
    if (UNLIKELY(!contexts_hot) || !(site->key & KEY_SLOW))
        return ALLOCSITE_KEY_NONE;
    uint64_t hash = context_hash(site->key, frame);
    uint32_t part = context_seen(hash);
    if (UNLIKELY(!part))
        part = context_find(hash);
    if (UNLIKELY(!part))
        return contexts_full ? site->key & ~KEY_SLOW : ALLOCSITE_KEY_NONE;
    return KEY(part);
}

static __attribute__((noinline)) void *alloc_walked(struct origin origin, void *p, uint64_t bytes,
                                                    enum family family, const void *frame) {
    uint32_t key = p ? key_with_stack(origin, frame) : ALLOCSITE_KEY_NONE;
    return gain_any(key, p, bytes, family) ? p : alloc_slow(origin, p, bytes, family);
}

/* With stacks this is what most allocations are. In a frame of its own, which is the program's next, and
 * which is there until the walk is done. */
static __attribute__((noinline)) void *alloc_with_stack(struct origin origin, void *p, uint64_t bytes,
                                                        enum family family) {
    const void *frame = __builtin_frame_address(0);
    uint32_t key = origin.site ? context_key(origin.site, frame) : ALLOCSITE_KEY_NONE;
    void *counted = origin.site ? own_gain(key, p, bytes, family) : NULL;
    if (LIKELY(counted != NULL)) {
        if (UNLIKELY((key | KEY_SLOW) == origin.site->key))
            stack_missing();
        return counted;
    }
    p = alloc_walked(origin, p, bytes, family, frame);
    __asm__ volatile("" : "+r"(p));
    return p;
}

static __attribute__((noinline)) void *alloc_alone(struct origin origin, void *p, uint64_t bytes,
                                                   enum family family) {
    return own_gain_alone(key_for(origin), p, bytes) ? p : alloc_slow(origin, p, bytes, family);
}

/* As the hot path, and counts the size, or notes when it was. */
static __attribute__((noinline)) void *alloc_in_detail(struct origin origin, void *p, uint64_t bytes,
                                                       enum family family) {
    struct thread *thread = local.seen;
    uint32_t key = origin.site      ? origin.site->key
                   : local.diverted ? ALLOCSITE_KEY_NONE
                                    : unsited_key_cached(origin.caller);
    uint32_t entry, above = key + ((uint32_t)family << FAMILY_AT);
    shadow_cell cell = shadow_encode(p, above + (uint32_t)bytes, &entry);
    if (UNLIKELY(!shadow_fits(cell) || key >= thread->capacity))
        return alloc_slow(origin, p, bytes, family);
    struct profile_sizes *sizes = sizes_wanted ? sizes_at(key >> KEY_SHIFT) : NULL;
    if (UNLIKELY(sizes_wanted && !sizes) || !own_enter(cell, entry, p, above, bytes))
        return alloc_slow(origin, p, bytes, family);
    if (sizes)
        sizes_add_to(sizes, bytes);
    lifetime_begin(p);
    struct tally *tally = tally_of_key(thread, key);
    return tally_gain_unseen(thread, tally, bytes) ? peak_look_gained(p, thread, tally, bytes) : p;
}

/* Each way is a jump: what one of them keeps on the stack the others need not. */
void *own_alloc_slow(struct origin origin, void *p, uint64_t bytes, enum family family) {
    if (UNLIKELY(!runtime_owners))
        return alloc_alone(origin, p, bytes, family);
    if (UNLIKELY(stacks_depth))
        return alloc_with_stack(origin, p, bytes, family);
    if (sizes_wanted || births_wanted)
        return alloc_in_detail(origin, p, bytes, family);
    struct tally *tally = origin.site ? enter_other(local.current, origin.site->key, p, bytes, family) : NULL;
    if (!tally)
        return alloc_slow(origin, p, bytes, family);
    return tally_gain_unseen(local.current, tally, bytes) ? peak_look_gained(p, local.current, tally, bytes)
                                                          : p;
}

void own_failed(struct origin origin) {
    own_alloc_slow(origin, NULL, 0, FAMILY_MALLOC);
}

static void report_unknown(const void *p, const struct block *block, struct origin by) {
    if (bootstrap_readable(p) || local.silent || !runtime_owners || holes_hide_blocks())
        return;
    if (rebind_is_done()) {
        /* By a way that only the allocator knows, perhaps at the address of a freed one. */
        hole_set(HOLE_PAST);
        return;
    }
    pair_count(block->state == BLOCK_FREED ? FAULT_DOUBLE_FREE : FAULT_FOREIGN, block->slot, origin_slot(by),
               0);
}

static void report_family(const struct block *block, enum family family, struct origin by) {
    if (family == FAMILY_ANY || block->family == family || block->family == FAMILY_BACKING ||
        operators_are_replaced())
        return;
    bool both_new = block->family != FAMILY_MALLOC && family != FAMILY_MALLOC;
    pair_count(both_new ? FAULT_ARRAY_MISMATCH : FAULT_MISMATCH, block->slot, origin_slot(by), block->size);
}

/* Takes the block at p out of the table. */
static struct block take(const void *p, struct origin by) {
    struct block block = shadow_find(p);
    if (block.state == BLOCK_LIVE)
        shadow_drop(p);
    else
        report_unknown(p, &block, by);
    if (births_wanted && block.family != FAMILY_BACKING)
        block.birth = birth_take(p);
    return block;
}

static bool is_counted(const struct block *block) {
    return block->state == BLOCK_LIVE && block->slot != SLOT_OURS;
}

/* Once: the address may come again by way of another thread. */
static bool is_newest(const void *p) {
    bool is_it = runtime_temporary && p == local.newest;
    if (is_it)
        local.newest = NULL;
    return is_it;
}

/* p: where it is, or was. */
static void lose_to(const void *p, const struct block *block, struct origin by) {
    hook_event(ALLOCSITE_EVENT_FREE, block->slot, p, block->size, 0);
    lose(block);
    if (runtime_pairs)
        pair_count(PAIR_FREE, block->slot, origin_slot(by), block->size);
}

static bool has_gone(const void *p) {
    return !p || runtime_off || !runtime_owners || p == local.released;
}

void own_free(void *p, struct origin by, enum family family) {
    if (has_gone(p))
        return;
    int error = errno;
    runtime_start();
    struct block block = take(p, by);
    if (is_counted(&block)) {
        report_family(&block, family, by);
        if (block.family == FAMILY_BACKING)
            custom_gone(p, block.size, by);
        else if (is_newest(p))
            change_temporary(block.slot);
        lose_to(p, &block, by);
    }
    errno = error;
}

static bool lose_other(const void *p, enum family family) {
    uint32_t key, bytes;
    bool is_taken = take_other(p, family, local.seen, &key, &bytes);
    if (is_taken)
        tally_lose(local.seen, tally_of_key(local.seen, key), bytes);
    return is_taken;
}

/* The key of who frees a block now; from KEY(SLOT_OURS) on: it has to be looked up, or is none. */
static inline uint32_t releasing_key(struct origin by) {
    if (UNLIKELY(local.releaser))
        return local.releaser - 1 < SLOT_OURS ? KEY(local.releaser - 1) : ALLOCSITE_KEY_NONE;
    return by.site ? by.site->key : unsited_key_cached(by.caller);
}

static COLD void free_in_new_pair(void *p, uint32_t owner, uint32_t by, uint64_t bytes) {
    int error = errno;
    tally_lose(local.seen, thread_tally(local.seen, owner), bytes);
    pair_count(PAIR_FREE, owner, by, bytes);
    errno = error;
    next.free(p);
}

static COLD void free_otherwise(void *p, struct origin by, enum family family) {
    own_free(p, by, family);
    next.free(p);
}

/* As the hot path, and counts the pair. */
static __attribute__((noinline)) void free_in_pair(void *p, struct origin by, enum family family) {
    struct thread *thread = local.seen;
    uint32_t rest, by_key = releasing_key(by);
    uint64_t bytes;
    if (UNLIKELY(by_key >= KEY(SLOT_OURS) || !shadow_covers(p) ||
                 !own_take(p, family, thread, &rest, &bytes))) {
        free_otherwise(p, by, family);
        return;
    }
    struct tally *before = tally_of_key(thread, rest & -KEY(1));
    uint32_t owner = (rest >> KEY_SHIFT) + 1;
    struct profile_pair *pair = pair_at_home(PAIR_FREE, owner, by_key >> KEY_SHIFT);
    if (UNLIKELY(!pair)) { /* nor is there ever one of a part, which has no row */
        free_in_new_pair(p, owner, by_key >> KEY_SHIFT, bytes);
        return;
    }
    pair_add(pair, bytes);
    if (tally_lose_unseen(thread, before + 1, bytes))
        own_look_and_free(p, by.site, before, bytes);
    else
        next.free(p);
}

/* As the hot path, and counts how long the block has lived. */
static __attribute__((noinline)) void free_in_time(void *p, struct origin by, enum family family) {
    struct thread *thread = local.seen;
    uint32_t rest;
    uint64_t bytes;
    if (UNLIKELY(runtime_pairs) || UNLIKELY(!shadow_covers(p)) ||
        UNLIKELY(!own_take(p, family, thread, &rest, &bytes))) {
        free_otherwise(p, by, family);
        return;
    }
    lifetime_end((rest >> KEY_SHIFT) + 1, birth_take(p));
    struct tally *before = tally_of_key(thread, rest & -KEY(1));
    if (tally_lose_unseen(thread, before + 1, bytes))
        own_look_and_free(p, by.site, before, bytes);
    else
        next.free(p);
}

static __attribute__((noinline)) void free_other(void *p, struct origin by, enum family family) {
    if (!p || !runtime_owners || lose_other(p, family))
        next.free(p);
    else
        free_otherwise(p, by, family);
}

void own_free_block_slow(void *p, struct origin by, enum family family) {
    if (births_wanted)
        free_in_time(p, by, family);
    else
        runtime_pairs ? free_in_pair(p, by, family) : free_other(p, by, family);
}

void own_look_and_free(void *p, const struct allocsite_site *site, struct tally *before, uint64_t bytes) {
    (void)site;
    p = peak_look_lost(p, local.seen, before + 1, bytes);
    next.free(p);
}

/* A realloc to nothing may free the block and return NULL: that is no failure, and no allocation. */
static void count_realloc(struct origin origin, const struct block *old, const void *p, uint64_t bytes) {
    struct bill bill = bill_for(origin, p, bytes, FAMILY_MALLOC);
    if (is_counted(old)) {
        report_family(old, FAMILY_MALLOC, origin);
        move(old, bill.slot, p, bill.bytes);
        if (runtime_pairs)
            pair_count(PAIR_REALLOC, old->slot, bill.slot, old->size);
    } else {
        appear(bill.slot, p, bill.bytes);
    }
}

static void put_back(const void *p, const struct block *block) {
    if (block->state == BLOCK_LIVE)
        shadow_put(p, block->slot, (enum family)block->family, block->size);
    if (block->birth.number)
        birth_put(p, block->birth);
}

static void realloc_end(struct origin origin, void *old, const struct block *block, const void *p,
                        size_t bytes) {
    if (p && local.silent) {
        gain_ours(p, bytes);
        if (is_counted(block))
            lose(block);
    } else if (p && threads_are_paused()) {
        pass_by(origin, p, bytes, FAMILY_MALLOC);
        if (is_counted(block))
            lose_to(old, block, origin);
    } else if (p) {
        count_realloc(origin, block, p, bytes);
    } else if (bytes) {
        put_back(old, block);
        count_alloc(origin, NULL, bytes, FAMILY_MALLOC);
    } else {
        handover_take(); /* it was for this call */
        if (is_counted(block))
            lose_to(old, block, origin);
    }
}

/* The blocks that a custom allocator has handed out of what it now has moved. Nothing tells before whether it
 * will move, so another thread may have the memory by now; but who moves a chunk has no blocks in it. */
static void leave_chunk(const char *old, const struct block *block, const char *p, size_t bytes,
                        struct origin by) {
    size_t kept = old == p && bytes < block->size ? bytes : old == p ? block->size : 0;
    custom_gone(old + kept, block->size - kept, by);
}

void own_realloc_end(struct origin origin, const void *p, size_t bytes) {
    static const struct block unknown;
    int error = errno;
    if (!runtime_off)
        realloc_end(origin, NULL, &unknown, p, bytes);
    errno = error;
}

static COLD void *own_realloc_slow(void *old, size_t bytes, struct origin origin) {
    if (runtime_off)
        return next.realloc(old, bytes);
    int error = errno;
    runtime_start();
    struct block block = take(old, origin);
    errno = error;
    void *p = next.realloc(old, bytes);
    error = errno;
    note_newest(p);
    if (block.state == BLOCK_LIVE && block.family == FAMILY_BACKING && (p || !bytes))
        leave_chunk(old, &block, p, bytes, origin);
    if (!runtime_off)
        realloc_end(origin, old, &block, p, bytes);
    errno = error;
    return p;
}

/* A block as it was before a realloc, and who calls for that: a site, or a caller. */
struct old {
    void *block;
    uint32_t key, bytes;
};

static inline __attribute__((always_inline)) struct origin origin_of(const void *who, bool is_site) {
    return is_site ? (struct origin){.site = (struct allocsite_site *)(uintptr_t)who}
                   : (struct origin){.caller = who};
}

static inline __attribute__((always_inline)) uint32_t key_cached(const void *who, bool is_site) {
    if (is_site)
        return ((const struct allocsite_site *)who)->key;
    return local.diverted ? ALLOCSITE_KEY_NONE : unsited_key_cached(who);
}

/* Between two slots that this thread counts. It is looked at anew: a fork may have come by in the meantime.
 */
static inline bool move_quickly(uint32_t key, uint32_t old_key, uint64_t old_bytes, void *p, uint64_t bytes) {
    struct thread *thread = local.current;
    uint32_t entry;
    shadow_cell cell = shadow_encode(p, key + (uint32_t)bytes, &entry);
    if (UNLIKELY(key >= thread->capacity) || UNLIKELY(key >= thread->extra_capacity) ||
        UNLIKELY(old_key >= thread->extra_capacity) || UNLIKELY(!shadow_fits(cell)) ||
        !own_enter(cell, entry, p, key, bytes))
        return false;
    tally_move(thread, tally_of_key(thread, old_key), old_bytes, tally_of_key(thread, key), bytes);
    return true;
}

/* The same of a block that may be in the second half of a cell, and where more is asked for. */
static bool move_any(uint32_t key, struct old old, const void *p, uint64_t bytes) {
    struct thread *thread = local.seen;
    if (key >= thread->extra_capacity || old.key >= thread->extra_capacity)
        return false;
    struct tally *tally = enter_other(thread, key, p, bytes, FAMILY_MALLOC);
    if (!tally)
        return false;
    tally_move(thread, tally_of_key(thread, old.key), old.bytes, tally, bytes);
    sizes_count(key >> KEY_SHIFT, bytes);
    if (runtime_pairs)
        pair_count(PAIR_REALLOC, old.key >> KEY_SHIFT, key >> KEY_SHIFT, old.bytes);
    return true;
}

/* In a frame of its own, for only one that has a pointer can be walked from. */
static __attribute__((noinline)) uint32_t realloc_key_with_stack(struct origin origin) {
    return key_with_stack(origin, __builtin_frame_address(0));
}

static __attribute__((noinline)) void *moved_otherwise(void *p, size_t bytes, struct origin origin,
                                                       struct old old) {
    uint32_t key = UNLIKELY(stacks_depth) ? realloc_key_with_stack(origin) : key_for(origin);
    int error = errno;
    bool is_moved = LIKELY(p != NULL) && LIKELY(move_any(key, old, p, bytes));
    errno = error;
    if (is_moved)
        return p;
    struct block before = {
        .size = old.bytes, .slot = old.key >> KEY_SHIFT, .state = BLOCK_LIVE, .family = FAMILY_MALLOC};
    realloc_end(origin, old.block, &before, p, bytes);
    errno = error;
    return p;
}

/* What follows the call: in functions of their own, which then need not save registers for it. */
static inline __attribute__((always_inline)) void *moved(void *p, size_t bytes, const void *who, void *old,
                                                         uint32_t rest, uint32_t old_bytes, bool is_site) {
    uint32_t old_key = (rest & -KEY(1)) + KEY(1);
    return LIKELY(move_quickly(key_cached(who, is_site), old_key, old_bytes, p, bytes))
               ? p
               : moved_otherwise(p, bytes, origin_of(who, is_site), (struct old){old, old_key, old_bytes});
}

typedef void *after_realloc(void *p, size_t bytes, const void *who, void *old, uint32_t rest,
                            uint32_t old_bytes);

static __attribute__((noinline)) void *moved_by_site(void *p, size_t bytes, const void *who, void *old,
                                                     uint32_t rest, uint32_t old_bytes) {
    return moved(p, bytes, who, old, rest, old_bytes, true);
}

static __attribute__((noinline)) void *moved_by_caller(void *p, size_t bytes, const void *who, void *old,
                                                       uint32_t rest, uint32_t old_bytes) {
    return moved(p, bytes, who, old, rest, old_bytes, false);
}

static __attribute__((noinline)) void *realloc_of_none(size_t n, struct origin origin) {
    KEEP(struct allocsite_site *, site, origin.site);
    KEEP(const void *, caller, origin.caller);
    KEEP(size_t, bytes, n);
    void *p = next.realloc(NULL, n);
    struct allocsite_site *by = site;
    return by ? own_alloc(by, p, bytes, FAMILY_MALLOC) : own_alloc_unsited(caller, p, bytes, FAMILY_MALLOC);
}

static __attribute__((noinline)) void *realloc_otherwise(void *block, size_t n, struct origin origin) {
    struct old old = {.block = block};
    uint32_t rest;
    uint64_t size;
    if (!n || births_wanted)
        return own_realloc_slow(block, n, origin);
    if (runtime_pairs && shadow_covers(block) && own_take(block, FAMILY_MALLOC, local.seen, &rest, &size)) {
        old.key = (rest & -KEY(1)) + KEY(1);
        old.bytes = (uint32_t)size;
    } else if (!take_other(block, FAMILY_MALLOC, local.seen, &old.key, &old.bytes)) {
        return own_realloc_slow(block, n, origin);
    }
    return moved_otherwise(next.realloc(block, n), n, origin, old);
}

/* Values needed after the call are kept in memory, as in malloc's. */
static inline __attribute__((always_inline)) void *reallocate(void *block, size_t n, const void *who,
                                                              bool is_site, after_realloc *end) {
    uint32_t rest;
    uint64_t size;
    if (UNLIKELY(!block))
        return realloc_of_none(n, origin_of(who, is_site));
    if (UNLIKELY(!n) || UNLIKELY(!shadow_covers_hot(block)) ||
        UNLIKELY(!own_take(block, FAMILY_MALLOC, local.seen, &rest, &size)))
        return realloc_otherwise(block, n, origin_of(who, is_site));
    KEEP(const void *, by, who);
    KEEP(void *, old, block);
    KEEP(uint32_t, was, rest);
    KEEP(uint32_t, old_bytes, (uint32_t)size);
    KEEP(size_t, bytes, n);
    void *p = next.realloc(block, n);
    return end(p, bytes, by, old, was, old_bytes);
}

void *own_realloc(void *block, size_t n, struct allocsite_site *site) {
    return reallocate(block, n, site, true, moved_by_site);
}

void *own_realloc_unsited(void *block, size_t n, const void *caller) {
    return reallocate(block, n, caller, false, moved_by_caller);
}
