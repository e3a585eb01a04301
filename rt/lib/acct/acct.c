/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts allocations and frees that the hot path leaves to the slow path. */
#include "lib/acct/acct.h"

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "lib/paths/origin.h"
#include "lib/registry/registry.h"

#include "lib/acct/acct_slow.h"
#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/count/threads.h"
#include "lib/custom_alloc/custom.h"
#include "lib/heap/underlying.h"
#include "lib/hook/fail.h"
#include "lib/paths/contexts.h"
#include "lib/paths/stacks.h"

#include <errno.h>

/* Counts an unsited block if its caller must be looked up, or if it is in the second half of a cell. */
static bool gain_unsited(struct origin origin, void *p, uint64_t bytes, enum family family) {
    uint32_t key = local.free_view->capacity ? key_for(origin) : ALLOCSITE_KEY_NONE;
    if (key & KEY_SLOW && key != ALLOCSITE_KEY_NONE && !stacks_depth)
        key = KEY(outside_slot(key_slot(key)));
    return gain_any(key, p, bytes, family);
}

STACK_CALL(bool, acct_fails, struct origin origin) {
    int error = errno;
    bool fails = !local.silent && !threads_are_paused() && runtime_counts() &&
                 (local.fails_next || fail_now(origin_share(origin_call_slot(origin), 0).slot));
    errno = error;
    return fails;
}

/* Gives a block back because the option fail wants the call to fail. Operator new has its own test. */
static COLD void *acct_give_back(struct origin origin, void *p) {
    underlying_for(origin.site)->free(p);
    local.fails_next = false;
    return NULL;
}

/* Returns p; NULL, and sets errno, if the option fail wants the call to fail. */
STACK_CALL(void *, acct_count_in_full, struct origin origin, void *p, uint64_t bytes, enum family family) {
    int error = errno;
    if (UNLIKELY(fail_may_come()) && p && family == FAMILY_MALLOC && acct_fails(origin)) {
        p = acct_give_back(origin, p);
        error = ENOMEM;
    }
    if (local.silent)
        event_ours(p, bytes);
    else if (threads_are_paused())
        event_passed_by(p, bytes, family);
    else if (runtime_counts())
        event_allocated(origin, p, bytes, family);
    errno = error;
    return p;
}

static void *alloc_slow(struct origin origin, void *p, uint64_t bytes, enum family family) {
    event_newest(p);
    if (!origin.site && gain_unsited(origin, p, bytes, family))
        return p;
    return runtime_off ? p : acct_count_in_full(origin, p, bytes, family);
}

static __attribute__((noinline)) void *alloc_left_over(struct origin origin, void *p, uint64_t bytes,
                                                       enum family family) {
    p = alloc_slow(origin, p, bytes, family);
    event_end();
    return p;
}

static COLD void make_headroom(uint32_t key) {
    int error = errno;
    struct thread *thread = thread_acquire(key_slot(key), key_slot(key));
    if (thread)
        thread_release(thread);
    errno = error;
}

/* Grows the slab for the key before it counts, because the slow path would look up the stack again. */
static inline bool gain_with_headroom(uint32_t key, void *p, uint64_t bytes, enum family family) {
    uint32_t capacity = local.free_view->capacity;
    if (UNLIKELY(key >= capacity) && capacity && !(key & KEY_SLOW))
        make_headroom(key);
    return gain_any(key, p, bytes, family);
}

static __attribute__((noinline)) void *alloc_walked(struct origin origin, void *p, uint64_t bytes,
                                                    enum family family) {
    uint32_t key = p ? key_with_stack(origin, __builtin_frame_address(0)) : ALLOCSITE_KEY_NONE;
    if (UNLIKELY(!gain_with_headroom(key, p, bytes, family)))
        return alloc_left_over(origin, p, bytes, family);
    event_end();
    return p;
}

static inline __attribute__((always_inline)) void *gain_by_context(uint32_t known, void *p, uint64_t bytes,
                                                                   enum family family, const void *frame) {
    uint32_t key = stack_key_known(known, frame);
    return LIKELY(key != ALLOCSITE_KEY_NONE) ? acct_gain(local.alloc_view, key, p, bytes, family, false)
                                             : NULL;
}

/* Counts the first allocation with a context. Takes the slow path if the site is not registered or the thread
 * does not count. */
static __attribute__((noinline)) void *alloc_first(struct origin origin, void *p, uint64_t bytes,
                                                   enum family family, const void *frame, uint64_t hash) {
    uint32_t key = p && local.alloc_view->capacity ? origin.site->key : ALLOCSITE_KEY_NONE;
    if (LIKELY(key != ALLOCSITE_KEY_NONE))
        key = stack_key_new(key, frame, hash);
    return gain_with_headroom(key, p, bytes, family) ? p : alloc_slow(origin, p, bytes, family);
}

/* Counts by the key of the context if the context is in the table, otherwise as a new one. */
static __attribute__((noinline)) void *alloc_otherwise(struct origin origin, void *p, uint64_t bytes,
                                                       enum family family, const void *frame, uint64_t hash) {
    void *counted = gain_by_context(context_find(hash), p, bytes, family, frame);
    return counted ? counted : alloc_first(origin, p, bytes, family, frame, hash);
}

/* Counts an allocation with a context that is not among the thread's recent ones. */
static __attribute__((noinline)) void *alloc_looked_up(struct origin origin, void *p, uint64_t bytes,
                                                       enum family family, uint64_t hash) {
    p = alloc_otherwise(origin, p, bytes, family, __builtin_frame_address(0), hash);
    event_end();
    return p;
}

/* Most allocations with stacks take this path. The functions that it tail-calls have their frames at
 * OWN_FRAME, next to the program's frame, where walks begin. */
static __attribute__((noinline)) void *alloc_with_stack(struct origin origin, void *p, uint64_t bytes,
                                                        enum family family) {
    uint64_t hash = 0;
    uint32_t key = key_at_hand(origin);
    if (LIKELY(contexts_hot && key & KEY_SLOW && key != ALLOCSITE_KEY_NONE)) {
        hash = context_hash(origin.site ? context_of_site(origin.site) : context_of_key(key), OWN_FRAME);
        void *counted = context_guess(local.alloc_view, hash, &key)
                            ? gain_by_context(key, p, bytes, family, OWN_FRAME)
                            : NULL;
        if (LIKELY(counted != NULL)) {
            event_end();
            return counted;
        }
    }
    return hash && origin.site ? alloc_looked_up(origin, p, bytes, family, hash)
                               : alloc_walked(origin, p, bytes, family);
}

static __attribute__((noinline)) void *alloc_alone(struct origin origin, void *p, uint64_t bytes,
                                                   enum family family) {
    if (!acct_gain_alone(key_for(origin), p, bytes))
        p = alloc_slow(origin, p, bytes, family);
    event_end();
    return p;
}

COLD void *acct_gain_first(void *p, uint32_t key, uint64_t bytes) {
    int error = errno;
    change_gain((struct share){.slot = key >> KEY_SHIFT, .bytes = bytes});
    event_end();
    errno = error;
    return p;
}

/* Like the hot path, but also counts the size of the block or records its birth. */
static __attribute__((noinline)) void *alloc_in_detail(struct origin origin, void *p, uint64_t bytes,
                                                       enum family family) {
    uint32_t key = key_at_hand(origin);
    void *counted = sizes_wanted ? acct_gain(local.free_view, key, p, bytes, family, true)
                                 : acct_gain(local.free_view, key, p, bytes, family, false);
    if (UNLIKELY(!counted))
        p = alloc_slow(origin, p, bytes, family);
    else
        lifetime_begin(counted);
    event_end();
    return p;
}

static inline void *alloc_by_option(struct origin origin, void *p, uint64_t bytes, enum family family) {
    event_begin();
    if (UNLIKELY(!runtime_owners))
        return alloc_alone(origin, p, bytes, family);
    return UNLIKELY(stacks_depth) ? alloc_with_stack(origin, p, bytes, family)
                                  : alloc_in_detail(origin, p, bytes, family);
}

/* All calls are tail calls, so that no path saves registers which only another path needs. */
void *acct_alloc_slow(struct origin origin, void *p, uint64_t bytes, enum family family) {
    if (UNLIKELY(!runtime_owners) || UNLIKELY(stacks_depth) || sizes_wanted || births_wanted)
        return alloc_by_option(origin, p, bytes, family);
    void *counted = gain_second(key_at_hand(origin), p, bytes, family);
    if (counted)
        return counted;
    event_begin();
    return alloc_left_over(origin, p, bytes, family);
}

/* Tail-called, so that its frame is at OWN_FRAME, where walks begin. */
static __attribute__((noinline)) void *alloc_not_found(struct origin origin, void *p, uint64_t bytes,
                                                       enum family family, uint64_t hash) {
    p = alloc_first(origin, p, bytes, family, __builtin_frame_address(0), hash);
    __asm__ volatile("" : "+r"(p));
    event_end();
    return p;
}

/* Called if the hot path did not find the context, or could not count the block. */
void *acct_alloc_slow_by_context(struct allocsite_site *site, void *p, uint64_t bytes, enum family family,
                                 uint64_t of_site, uint64_t hash) {
    struct origin origin = {.site = site};
    bool is_hot = contexts_hot && site->key & KEY_SLOW;
    void *counted = is_hot ? gain_by_context(context_find(hash), p, bytes, family, OWN_FRAME) : NULL;
    if (LIKELY(counted != NULL))
        return counted;
    context = of_site - context_of_site(site);
    if (UNLIKELY(runtime_off))
        return p;
    if (!is_hot)
        return acct_alloc_slow(origin, p, bytes, family);
    event_begin();
    return alloc_not_found(origin, p, bytes, family, hash);
}

void acct_failed(struct origin origin) {
    acct_alloc_slow(origin, NULL, 0, FAMILY_MALLOC);
}

static bool needs_no_count(const void *p) {
    return !p || runtime_off || !runtime_owners || p == local.released;
}

STACK_CALL(void, acct_free_in_full, void *p, struct origin by, enum family family) {
    runtime_start();
    struct block block = event_take(p, by);
    if (event_is_counted(&block)) {
        event_report_family(&block, family, by);
        if (block.family == FAMILY_CHUNK)
            custom_released(p, block.size, by);
        else if (event_was_newest(p))
            change_rare(block.slot, offsetof(struct rare, temporary));
        event_freed(p, &block, by);
    }
}

void acct_free(void *p, struct origin by, enum family family) {
    if (needs_no_count(p))
        return;
    int error = errno;
    event_begin();
    acct_free_in_full(p, by, family);
    event_end();
    errno = error;
}

static inline void free_second(void *p, const struct allocsite_site *site, uint32_t key_bits) {
    uint64_t bytes = key_bits & (SHADOW_SMALL - 1);
    struct tally *before = tally_of_key(local.free_view, key_bits & -KEY(1));
    if (tally_lose_unseen(local.free_view, before + 1, bytes))
        acct_look_and_free(p, site, before, bytes);
    else
        underlying_for(site)->free(p);
}

static bool lose_other(const void *p, enum family family) {
    uint32_t key, bytes;
    bool is_taken = take_other(p, family, local.free_view, &key, &bytes);
    if (is_taken)
        tally_lose(local.free_view, tally_of_key(local.free_view, key), bytes);
    return is_taken;
}

/* Returns the key of the site or caller that frees a block. A key of KEY(SLOT_OURS) or more must be
 * looked up, or means that there is no slot. */
static inline uint32_t releasing_key(struct origin by) {
    if (UNLIKELY(local.releaser))
        return local.releaser - 1 < SLOT_OURS ? KEY(local.releaser - 1) : ALLOCSITE_KEY_NONE;
    return by.site ? by.site->key : caller_key_cached(by.caller);
}

/* event_begin has been called; calls event_end. */
static COLD void free_in_new_pair(void *p, uint32_t owner, uint32_t by, uint64_t bytes, const void *site) {
    int error = errno;
    tally_lose(local.free_view, thread_tally(local.free_view, owner), bytes);
    pair_count(PAIR_FREE, owner, by, bytes);
    event_end();
    errno = error;
    underlying_for(site)->free(p);
}

static COLD void free_otherwise(void *p, struct origin by, enum family family) {
    acct_free(p, by, family);
    underlying_for(by.site)->free(p);
}

static void free_in_time(void *p, struct origin by, enum family family);

/* Like the hot path, but also counts the pair of owner and releaser. */
static inline __attribute__((always_inline)) void free_in_pair(void *p, struct origin by,
                                                               enum family family) {
    if (UNLIKELY(births_wanted)) {
        free_in_time(p, by, family);
        return;
    }
    struct thread *thread = local.free_view;
    uint32_t key_bits, by_key = releasing_key(by);
    uint64_t bytes;
    event_begin();
    if (UNLIKELY(by_key >= KEY(SLOT_OURS) || !shadow_covers(p) ||
                 !acct_take(p, family, thread, &key_bits, &bytes))) {
        event_end();
        free_otherwise(p, by, family);
        return;
    }
    struct tally *before = tally_of_key(thread, key_bits & -KEY(1));
    uint32_t owner = (key_bits >> KEY_SHIFT) + 1;
    struct profile_pair *pair = pair_at_home(PAIR_FREE, owner, by_key >> KEY_SHIFT);
    if (UNLIKELY(!pair)) {
        free_in_new_pair(p, owner, by_key >> KEY_SHIFT, bytes, by.site);
        return;
    }
    pair_add(pair, bytes);
    bool is_quick = !tally_lose_unseen(thread, before + 1, bytes);
    event_end();
    if (is_quick)
        (family == FAMILY_ANY ? &underlying_after : &underlying)
            ->free(p); /* only the interposed free has FAMILY_ANY */
    else
        acct_look_and_free(p, by.site, before, bytes);
}

void acct_free_in_pair_malloc(void *p, struct origin by) {
    free_in_pair(p, by, FAMILY_MALLOC);
}

void acct_free_in_pair_new(void *p, struct origin by) {
    free_in_pair(p, by, FAMILY_NEW);
}

void acct_free_in_pair_new_array(void *p, struct origin by) {
    free_in_pair(p, by, FAMILY_NEW_ARRAY);
}

void acct_free_in_pair_any(void *p, struct origin by) {
    free_in_pair(p, by, FAMILY_ANY);
}

/* Like the hot path, but also counts the lifetime of the block. */
static __attribute__((noinline)) void free_in_time(void *p, struct origin by, enum family family) {
    struct thread *thread = local.free_view;
    uint32_t key_bits;
    uint64_t bytes;
    event_begin();
    if (UNLIKELY(runtime_pairs) || UNLIKELY(!shadow_covers(p)) ||
        UNLIKELY(!acct_take(p, family, thread, &key_bits, &bytes))) {
        event_end();
        free_otherwise(p, by, family);
        return;
    }
    lifetime_end((key_bits >> KEY_SHIFT) + 1, birth_take(p));
    struct tally *before = tally_of_key(thread, key_bits & -KEY(1));
    bool is_quick = !tally_lose_unseen(thread, before + 1, bytes);
    event_end();
    if (is_quick)
        underlying_for(by.site)->free(p);
    else
        acct_look_and_free(p, by.site, before, bytes);
}

static __attribute__((noinline)) void free_other(void *p, struct origin by, enum family family) {
    uint32_t key_bits;
    if (take_second(p, family, local.free_view, &key_bits))
        free_second(p, by.site, key_bits);
    else if (!p || !runtime_owners || lose_other(p, family))
        underlying_for(by.site)->free(p);
    else
        free_otherwise(p, by, family);
}

void acct_free_block_slow(void *p, struct origin by, enum family family) {
    if (runtime_pairs)
        acct_free_in_pair(p, by, family);
    else
        births_wanted ? free_in_time(p, by, family) : free_other(p, by, family);
}

void acct_look_and_free(void *p, const struct allocsite_site *site, struct tally *before, uint64_t bytes) {
    event_begin();
    p = peak_look_released(p, local.free_view, before + 1, bytes);
    event_end();
    underlying_for(site)->free(p);
}
