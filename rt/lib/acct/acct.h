/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting what happens to blocks: they come, change hands and go. The hot path. */
#ifndef ALLOCSITE_LIB_ACCT_ACCT_H
#define ALLOCSITE_LIB_ACCT_ACCT_H

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/tally.h"
#include "lib/heap/next.h"
#include "lib/heap/shadow.h"
#include "lib/paths/contexts.h"
#include "lib/paths/origin.h"

/* Calls that the hot path leaves over. All keep errno. p: what the allocator gave, NULL if it failed. */
void *acct_alloc_slow(struct origin, void *p, uint64_t bytes, enum family);

/* hash: of the context that was not found where it was expected. */
void *acct_alloc_slow_by_context(struct allocsite_site *, void *p, uint64_t bytes, enum family,
                                 uint64_t of_site, uint64_t hash);

/* Counts a block that no allocator gave. */
void acct_mark(const void *p, uint64_t bytes, struct origin);

/* Counts a block that its allocator is about to get back. */
void acct_free(void *p, struct origin, enum family);

/* Calls the allocator's realloc. */
void *acct_realloc(void *old, size_t bytes, struct allocsite_site *);
void *acct_realloc_unsited(void *old, size_t bytes, const void *caller);

/* The same by a realloc of another name, of a block that is not NULL. */
void *acct_realloc_with(void *(*)(void *, size_t), void *old, size_t bytes, struct origin);

/* The same where the caller's context is passed, and not stored. */
void *acct_realloc_by_context(void *old, size_t bytes, struct allocsite_site *, uint64_t value);

/* The same with sizes=1. */
void *acct_realloc_by_size(void *old, size_t bytes, struct allocsite_site *);
void *acct_realloc_unsited_by_size(void *old, size_t bytes, const void *caller);

/* Counts a call of the allocator's realloc of a block that nobody is known to own. */
void acct_realloc_end(struct origin, const void *p, size_t bytes);

/* A call that could not be made for want of a size that can be told. */
void acct_failed(struct origin);

/* Frees a block as the allocator's free does. */
void acct_free_block_slow(void *p, struct origin, enum family);

/* The same with pairs=1, by family. */
void acct_free_in_pair_malloc(void *p, struct origin);
void acct_free_in_pair_new(void *p, struct origin);
void acct_free_in_pair_new_array(void *p, struct origin);
void acct_free_in_pair_any(void *p, struct origin);

static inline void acct_free_in_pair(void *p, struct origin by, enum family family) {
    if (family == FAMILY_MALLOC)
        acct_free_in_pair_malloc(p, by);
    else if (family == FAMILY_ANY)
        acct_free_in_pair_any(p, by);
    else
        family == FAMILY_NEW ? acct_free_in_pair_new(p, by) : acct_free_in_pair_new_array(p, by);
}

/* Has the tally behind this one looked at, and frees a block. The site stays where it was passed. */
void acct_look_and_free(void *p, const struct allocsite_site *, struct tally *before, uint64_t bytes);

/* False: it is a giant. */
static inline bool acct_enter(shadow_cell cell, uint32_t entry, const void *p, uint32_t key,
                              enum family family, uint64_t bytes) {
    if (LIKELY(bytes < SHADOW_SMALL)) {
        *shadow_entry(cell) = entry;
        return true;
    }
    if (UNLIKELY(bytes > UINT32_MAX))
        return false;
    shadow_enter_large(shadow_large_entry(p), p, key + ((uint32_t)family << FAMILY_AT), (uint32_t)bytes);
    return true;
}

/* Counts a block that was entered, and makes the row of its slot for sizes; the event has begun. Keeps errno.
 */
void *acct_gain_first(void *p, uint32_t key, uint64_t bytes) __attribute__((returns_nonnull));

static inline void *acct_end(bool has_begun, void *p) {
    if (has_begun)
        event_end();
    return p;
}

/* The block; NULL: it is not for the hot path. The compiler is told that it is not NULL, or it would test.
 * by_size: known where it is compiled. */
static inline __attribute__((always_inline)) void *
acct_gain(struct thread *thread, uint32_t key, void *p, uint64_t bytes, enum family family, bool by_size) {
    uint32_t entry;
    shadow_cell cell = shadow_encode(p, key + (uint32_t)bytes + ((uint32_t)family << FAMILY_AT), &entry);
    if (by_size)
        event_begin(); /* before the capacity is asked for, which a fork makes 0 */
    if (UNLIKELY(!shadow_fits(cell) || key >= thread->capacity) ||
        !acct_enter(cell, entry, p, key, family, bytes))
        return acct_end(by_size, NULL);
    if (!p || bytes > UINT32_MAX)
        __builtin_unreachable();
    if (by_size && UNLIKELY(!sizes_add_quickly(key, bytes)))
        return acct_gain_first(p, key, bytes);
    struct tally *tally = tally_of_key(thread, key);
    if (tally_gain_unseen(thread, tally, bytes))
        return peak_look_gained(acct_end(by_size, p), thread, tally, bytes);
    return acct_end(by_size, p);
}

/* Where owners are not noted. */
static inline bool acct_gain_alone(uint32_t key, const void *p, uint64_t bytes) {
    struct thread *thread = local.current;
    if (UNLIKELY(!p || key >= thread->capacity))
        return false;
    tally_gain_alone(tally_of_key(thread, key), bytes);
    return true;
}

static inline __attribute__((always_inline)) void *acct_alloc(struct allocsite_site *site, void *p,
                                                              uint64_t bytes, enum family family) {
    void *counted = acct_gain(local.current, site->key, p, bytes, family, false);
    if (LIKELY(counted != NULL))
        return counted;
    return runtime_off ? p : acct_alloc_slow((struct origin){.site = site}, p, bytes, family);
}

/* The same without the call that has failed: NULL then, which costs no test of its own. */
static inline __attribute__((always_inline)) void *acct_alloc_made(struct allocsite_site *site, void *p,
                                                                   uint64_t bytes, enum family family) {
    void *counted = acct_gain(local.current, site->key, p, bytes, family, false);
    if (LIKELY(counted != NULL) || !p)
        return counted;
    return runtime_off ? p : acct_alloc_slow((struct origin){.site = site}, p, bytes, family);
}

/* Of a function of the runtime that jumps to others when it has done: where their frames are, too. */
#define OWN_FRAME ((const void *)((const uintptr_t *)__builtin_dwarf_cfa() - 2))

/* Where the caller's context is passed, and not stored. of_site: that and the site's number added, so that
 * one word has both over the call of the allocator. Both are read twice, for no register is to keep them. */
static inline __attribute__((always_inline)) void *
acct_alloc_by_context(struct allocsite_site *volatile *site, void *p, uint64_t bytes, enum family family,
                      const volatile uint64_t *of_site, const void *frame) {
    uint64_t hash = context_hash_of(*of_site, frame);
    struct thread *thread = local.current;
    uint32_t key;
    if (UNLIKELY(!context_guess(thread, hash, &key)))
        key = (*site)->key;
    void *counted = acct_gain(thread, key, p, bytes, family, false);
    return LIKELY(counted != NULL) ? counted
                                   : acct_alloc_slow_by_context(*site, p, bytes, family, *of_site, hash);
}

/* Calls other than the look at the peak are left to the slow way, or more than the call of the allocator
 * would need registers. */
static inline __attribute__((always_inline)) void *acct_alloc_unsited(const void *caller, void *p,
                                                                      uint64_t bytes, enum family family) {
    void *counted = LIKELY(!local.silent)
                        ? acct_gain(local.current, caller_key_cached(caller), p, bytes, family, false)
                        : NULL;
    if (LIKELY(counted != NULL))
        return counted;
    return runtime_off ? p : acct_alloc_slow((struct origin){.caller = caller}, p, bytes, family);
}

/* A value, read less OWN_LESS, without its family and less KEY(1): where it was of another one, of a block
 * that was freed or of zeros, it is not below any capacity. */
#define OWN_LESS(family) ((family) == FAMILY_ANY ? 0 : ((uint32_t)(family) << FAMILY_AT) + KEY(1))

static inline uint32_t acct_rest(uint32_t value, enum family family) {
    return family == FAMILY_ANY ? (value & ~(3u << FAMILY_AT)) - KEY(1) : value;
}

/* Takes the block at p, which must be covered, out of the tables, if it is one of that family that this
 * thread counts. rest: its key less KEY(1), and below that anything. */
static inline bool acct_take(const void *p, enum family family, const struct thread *thread, uint32_t *rest,
                             uint64_t *bytes) {
    uint32_t *small = shadow.small;
    shadow_cell cell;
    *rest = acct_rest(shadow_read_less(small, p, OWN_LESS(family), &cell), family);
    if (LIKELY(*rest < thread->capacity)) {
        shadow_mark_freed((uint32_t *)((uintptr_t)small + cell * sizeof *small));
        *bytes = *rest & (SHADOW_SMALL - 1);
        return true;
    }
    struct shadow_large *large = shadow_large_entry(p);
    *rest = acct_rest(large->value - OWN_LESS(family), family);
    if (UNLIKELY(!shadow_large_is(large->value, p) ||
                 *rest >= __atomic_load_n(&thread->capacity, __ATOMIC_RELAXED)))
        return false;
    large->value |= SHADOW_FREED;
    *bytes = large->size;
    return true;
}

/* Frees a block as the allocator's free does, if it has none of the bits. False: it is left over. Every way
 * out is a jump, or what the last one needs would have to be saved on all of them. */
static inline __attribute__((always_inline)) bool acct_free_quickly(void *p, const uintptr_t *beyond,
                                                                    struct allocsite_site *site,
                                                                    bool has_site, enum family family) {
    struct thread *thread = local.seen;
    uint32_t rest;
    uint64_t bytes;
    if (UNLIKELY(!shadow_has_none(p, beyond)) || UNLIKELY(!acct_take(p, family, thread, &rest, &bytes)))
        return false;
    struct tally *before = tally_of_key(thread, rest & -KEY(1));
    if (tally_lose_unseen(thread, before + 1, bytes))
        acct_look_and_free(p, site, before, bytes);
    else
        (has_site ? &next : &behind)->free(p);
    return true;
}

/* Frees what is left over. The caller, where there is no site, is asked for on this way alone. */
static inline __attribute__((always_inline)) void acct_free_rest(void *p, struct allocsite_site *site,
                                                                 bool has_site, enum family family) {
    struct origin by = {site, has_site ? NULL : __builtin_return_address(0)};
    if (runtime_pairs)
        acct_free_in_pair(p, by, family);
    else
        runtime_off ? (has_site ? &next : &behind)->free(p) : acct_free_block_slow(p, by, family);
}

static inline __attribute__((always_inline)) void acct_free_block(void *p, struct allocsite_site *site,
                                                                  bool has_site, enum family family) {
    if (!acct_free_quickly(p, &shadow.beyond_hot, site, has_site, family))
        acct_free_rest(p, site, has_site, family);
}

#endif
