/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reallocated blocks: the hot path, and the slow path. */
#include "lib/acct/acct.h"

#include "lib/acct/acct_slow.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/count/threads.h"
#include "lib/custom_alloc/custom.h"
#include "lib/heap/shadow.h"
#include "lib/heap/underlying.h"
#include "lib/hook/fail.h"
#include "lib/paths/contexts.h"
#include "lib/paths/stacks.h"

#include <errno.h>

static void count_realloc(struct origin origin, const struct block *old, const void *p, uint64_t bytes) {
    uint32_t slot = origin_call_slot(origin);
    if (event_is_counted(old)) {
        event_report_family(old, FAMILY_MALLOC, origin);
        uint32_t by = event_moved(old, slot, p, bytes);
        if (runtime_pairs)
            pair_count(PAIR_REALLOC, old->slot, by, old->size);
    } else {
        event_appeared(slot, p, bytes);
    }
}

static void put_back(const void *p, const struct block *block) {
    if (block->state == BLOCK_LIVE)
        shadow_put(p, block->slot, (enum family)block->family, block->size);
    if (block->birth.number)
        birth_put(p, block->birth);
}

/* A realloc to size 0 may free the block and return NULL. The call then counts as a free, not as a failure or
 * an allocation. */
STACK_CALL(void, realloc_count, struct origin origin, void *old, const struct block *block, const void *p,
           size_t bytes) {
    if (p && local.silent) {
        event_ours(p, bytes);
        if (event_is_counted(block))
            event_released(block);
    } else if (p && threads_are_paused()) {
        event_passed_by(p, bytes, FAMILY_MALLOC);
        if (event_is_counted(block))
            event_freed(old, block, origin);
    } else if (p) {
        count_realloc(origin, block, p, bytes);
    } else if (bytes) {
        put_back(old, block);
        event_allocated(origin, NULL, bytes, FAMILY_MALLOC);
    } else if (event_is_counted(block)) {
        event_freed(old, block, origin);
    }
}

/* Frees the custom allocator's blocks in the memory that a realloc of its chunk has released. Another thread
 * may already have got this memory: the runtime cannot know before the call whether the block will move. But
 * an allocator that moves a chunk has no blocks in it. */
static void leave_chunk(const char *old, const struct block *block, const char *p, size_t bytes,
                        struct origin by) {
    size_t kept = old == p && bytes < block->size ? bytes : old == p ? block->size : 0;
    custom_released(old + kept, block->size - kept, by);
}

void acct_realloc_end(struct origin origin, const void *p, size_t bytes) {
    static const struct block unknown;
    int error = errno;
    event_begin();
    if (!runtime_off)
        realloc_count(origin, NULL, &unknown, p, bytes);
    event_end();
    errno = error;
}

STACK_CALL(struct block, acct_take_in_full, const void *p, struct origin by) {
    runtime_start();
    return event_take(p, by);
}

COLD void *acct_realloc_with(void *(*function)(void *, size_t), void *old, size_t bytes,
                             struct origin origin) {
    if (runtime_off)
        return function(old, bytes);
    if (UNLIKELY(fail_may_come()) && bytes && acct_fails(origin)) {
        local.fails_next = false;
        acct_failed(origin);
        errno = ENOMEM;
        return NULL;
    }
    int error = errno;
    event_begin();
    struct block block = acct_take_in_full(old, origin);
    errno = error;
    void *p = function(old, bytes);
    error = errno;
    event_newest(p);
    if (block.state == BLOCK_LIVE && block.family == FAMILY_CHUNK && (p || !bytes))
        leave_chunk(old, &block, p, bytes, origin);
    if (!runtime_off)
        realloc_count(origin, old, &block, p, bytes);
    event_end();
    errno = error;
    return p;
}

static COLD void *acct_realloc_slow(void *old, size_t bytes, struct origin origin) {
    return acct_realloc_with(underlying_for(origin.site)->realloc, old, bytes, origin);
}

/* A block before a realloc. key: of its owner. */
struct old {
    void *block;
    uint32_t key, bytes;
};

static inline __attribute__((always_inline)) struct origin origin_of(const void *caller_id, bool is_site) {
    return is_site ? (struct origin){.site = (struct allocsite_site *)(uintptr_t)caller_id}
                   : (struct origin){.caller = caller_id};
}

static inline __attribute__((always_inline)) uint32_t key_cached(const void *caller_id, bool is_site) {
    if (is_site)
        return ((const struct allocsite_site *)caller_id)->key;
    return local.silent ? ALLOCSITE_KEY_NONE : caller_key_cached(caller_id);
}

/* Variants of the hot path that are chosen at compile time: BY_SIZE also counts sizes, BY_CONTEXT gets the
 * context passed. */
enum detail { NO_DETAIL, BY_SIZE, BY_CONTEXT };

/* Makes the slot's row for sizes and counts the realloc. event_begin has been called; calls event_end. Keeps
 * errno. */
static COLD void *move_first(void *p, uint32_t key, uint64_t bytes, uint32_t old_key, uint64_t old_bytes) {
    int error = errno;
    change_move((struct share){.slot = old_key >> KEY_SHIFT, .bytes = old_bytes},
                (struct share){.slot = key >> KEY_SHIFT, .bytes = bytes});
    event_end();
    errno = error;
    return p;
}

/* Counts a realloc between two slots that this thread has tallies for. Returns p; NULL: the slow path must
 * count it. */
static inline __attribute__((always_inline)) void *move_quickly(struct thread *thread, uint32_t key,
                                                                uint32_t old_key, uint64_t old_bytes, void *p,
                                                                uint64_t bytes, enum detail detail) {
    uint32_t entry;
    shadow_cell cell = shadow_encode(p, key + (uint32_t)bytes, &entry);
    if (detail == BY_SIZE)
        event_begin();
    if (UNLIKELY(!shadow_fits(cell)) || UNLIKELY(key >= thread->capacity) ||
        UNLIKELY(key >= thread->extra_capacity) || UNLIKELY(old_key >= thread->extra_capacity) ||
        !acct_enter(cell, entry, p, key, FAMILY_MALLOC, bytes))
        return acct_end(detail == BY_SIZE, NULL);
    if (!p || bytes > UINT32_MAX)
        __builtin_unreachable();
    if (detail == BY_SIZE && UNLIKELY(!sizes_add_quickly(key, bytes)))
        return move_first(p, key, bytes, old_key, old_bytes);
    return tally_move(p, thread, tally_of_key(thread, old_key), old_bytes, tally_of_key(thread, key), bytes,
                      detail == BY_SIZE);
}

static inline void count_pair(uint32_t owner, uint32_t by, uint64_t bytes) {
    struct profile_pair *pair = pair_at_home(PAIR_REALLOC, owner, by);
    if (LIKELY(pair != NULL))
        pair_add(pair, bytes);
    else
        pair_count(PAIR_REALLOC, owner, by, bytes);
}

/* Like move_quickly, also for a block in the second half of a cell, and with sizes=1 or pairs=1. Returns
 * false if the slow path must count the realloc. */
static bool move_any(uint32_t key, struct old old, const void *p, uint64_t bytes) {
    struct thread *thread = local.free_view;
    if (key >= thread->extra_capacity || old.key >= thread->extra_capacity)
        return false;
    struct tally *tally = enter_other(thread, key, p, bytes, FAMILY_MALLOC);
    if (!tally)
        return false;
    tally_move(thread, thread, tally_of_key(thread, old.key), old.bytes, tally, bytes, false);
    if (sizes_wanted && (stacks_depth || !sizes_add_quickly(key, bytes))) /* a stack has no row */
        sizes_add(key >> KEY_SHIFT, bytes);
    if (runtime_pairs)
        count_pair(old.key >> KEY_SHIFT, key >> KEY_SHIFT, old.bytes);
    return true;
}

static __attribute__((noinline)) void *move_by_key(void *p, size_t bytes, struct origin origin,
                                                   struct old old, uint32_t key) {
    int error = errno;
    if (UNLIKELY(!p) || UNLIKELY(!move_any(key, old, p, bytes))) {
        struct block before = {
            .size = old.bytes, .slot = old.key >> KEY_SHIFT, .state = BLOCK_LIVE, .family = FAMILY_MALLOC};
        realloc_count(origin, old.block, &before, p, bytes);
    }
    event_end();
    errno = error;
    return p;
}

/* A separate function, because a walk needs a frame with a frame pointer. */
static __attribute__((noinline)) void *move_with_stack(void *p, size_t bytes, struct origin origin,
                                                       struct old old) {
    const void *frame = __builtin_frame_address(0);
    p = move_by_key(p, bytes, origin, old, key_with_stack(origin, frame));
    __asm__ volatile("" : "+r"(p));
    return p;
}

static __attribute__((noinline)) void *moved_otherwise(void *p, size_t bytes, struct origin origin,
                                                       struct old old) {
    event_begin();
    if (UNLIKELY(stacks_depth))
        return move_with_stack(p, bytes, origin, old);
    return move_by_key(p, bytes, origin, old, key_for(origin));
}

/* Like the hot path, for a context that is not among the thread's recent ones. */
static __attribute__((noinline)) void *move_by_context(void *p, size_t bytes, struct allocsite_site *site,
                                                       struct old old) {
    if (LIKELY(contexts_hot && site->key & KEY_SLOW)) {
        uint32_t key = context_find(context_hash(context_of_site(site), OWN_FRAME));
        void *counted = move_quickly(local.alloc_view, key, old.key, old.bytes, p, bytes, NO_DETAIL);
        if (LIKELY(counted != NULL))
            return counted;
    }
    return moved_otherwise(p, bytes, BY_SITE(site), old);
}

static __attribute__((noinline)) void *realloc_of_none(size_t n, struct origin origin) {
    KEEP(struct allocsite_site *, site, origin.site);
    KEEP(const void *, caller, origin.caller);
    KEEP(size_t, bytes, n);
    void *p = underlying_for(site)->realloc(NULL, n);
    struct allocsite_site *by = site;
    if (!by)
        return acct_alloc_unsited(caller, p, bytes, FAMILY_MALLOC);
    uint64_t of_site = context + context_of_site(by);
    return LIKELY(!(by->key & KEY_SLOW))
               ? acct_alloc(by, p, bytes, FAMILY_MALLOC)
               : acct_alloc_by_context(&site, p, bytes, FAMILY_MALLOC, &of_site, OWN_FRAME);
}

static __attribute__((noinline)) void *realloc_otherwise(void *block, size_t n, struct origin origin) {
    struct old old = {.block = block};
    uint32_t key_bits;
    uint64_t size;
    if (!n || births_wanted)
        return acct_realloc_slow(block, n, origin);
    event_begin();
    if (runtime_pairs && shadow_covers(block) &&
        acct_take(block, FAMILY_MALLOC, local.free_view, &key_bits, &size)) {
        old.key = (key_bits & -KEY(1)) + KEY(1);
        old.bytes = (uint32_t)size;
    } else if (!take_other(block, FAMILY_MALLOC, local.free_view, &old.key, &old.bytes)) {
        event_end();
        return acct_realloc_slow(block, n, origin);
    }
    void *p = underlying_for(origin.site)->realloc(block, n);
    event_end();
    return moved_otherwise(p, n, origin, old);
}

static inline uint32_t key_by_context(const struct thread *thread, const struct allocsite_site *site,
                                      uint64_t value, const void *frame) {
    uint32_t key;
    uint64_t hash = context_hash_of(value + context_of_site(site), frame);
    return LIKELY(context_guess(thread, hash, &key)) ? key : site->key;
}

static inline void store_context(enum detail detail, uint64_t value) {
    if (detail == BY_CONTEXT)
        context = value;
}

static inline struct thread *event_end_anew(enum detail detail) {
    struct thread *thread;
    if (detail == BY_SIZE)
        EVENT_END_ANEW(free_view, thread);
    else
        EVENT_END_ANEW(alloc_view, thread);
    return thread;
}

/* Values that are needed after the call are kept in memory (KEEP). The slow paths read these values from
 * memory, so the hot path need not move them into registers. All exits are tail calls. */
static inline __attribute__((always_inline)) void *acct_reallocate(void *block, size_t n,
                                                                   const void *caller_id, bool is_site,
                                                                   enum detail detail, uint64_t value) {
    KEEP(const void *, by, caller_id);
    KEEP(void *, old, block);
    KEEP(size_t, bytes, n);
    uint32_t key_bits;
    uint64_t size;
    if (UNLIKELY(!block)) {
        store_context(detail, value);
        return realloc_of_none(bytes, origin_of(by, is_site));
    }
    if (UNLIKELY(!shadow_covers_hot(block)) ||
        UNLIKELY(!acct_take(block, FAMILY_MALLOC, local.free_view, &key_bits, &size))) {
        store_context(detail, value);
        return realloc_otherwise(old, bytes, origin_of(by, is_site));
    }
    KEEP(uint32_t, was, key_bits);
    KEEP(uint32_t, old_bytes, (uint32_t)size);
    uint64_t volatile kept_value; /* with BY_CONTEXT */
    if (detail == BY_CONTEXT)
        kept_value = value;
    event_begin();
    void *p = (is_site ? &underlying : &underlying_after)->realloc(block, n);
    struct thread *thread = event_end_anew(detail); /* a fork may have happened during the call */
    uint32_t key =
        detail == BY_CONTEXT ? key_by_context(thread, by, kept_value, OWN_FRAME) : key_cached(by, is_site);
    uint32_t old_key = (was & -KEY(1)) + KEY(1);
    void *counted = move_quickly(thread, key, old_key, old_bytes, p, bytes, detail);
    if (LIKELY(counted != NULL))
        return counted;
    if (detail == BY_CONTEXT) {
        context = kept_value;
        return move_by_context(p, bytes, (struct allocsite_site *)(uintptr_t)by,
                               (struct old){old, (was & -KEY(1)) + KEY(1), old_bytes});
    }
    return moved_otherwise(p, bytes, origin_of(by, is_site),
                           (struct old){old, (was & -KEY(1)) + KEY(1), old_bytes});
}

void *acct_realloc(void *block, size_t n, struct allocsite_site *site) {
    return acct_reallocate(block, n, site, true, NO_DETAIL, 0);
}

void *acct_realloc_by_context(void *block, size_t n, struct allocsite_site *site, uint64_t value) {
    return acct_reallocate(block, n, site, true, BY_CONTEXT, value);
}

void *acct_realloc_unsited(void *block, size_t n, const void *caller) {
    return acct_reallocate(block, n, caller, false, NO_DETAIL, 0);
}

void *acct_realloc_by_size(void *block, size_t n, struct allocsite_site *site) {
    return acct_reallocate(block, n, site, true, BY_SIZE, 0);
}

void *acct_realloc_unsited_by_size(void *block, size_t n, const void *caller) {
    return acct_reallocate(block, n, caller, false, BY_SIZE, 0);
}
