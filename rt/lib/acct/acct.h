/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accounting for blocks that are allocated, reallocated and freed. The hot path. */
#ifndef ALLOCSITE_LIB_ACCT_ACCT_H
#define ALLOCSITE_LIB_ACCT_ACCT_H

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "lib/heap/underlying.h"
#include "lib/paths/contexts.h"
#include "lib/paths/origin.h"

/* Counts an allocation that the hot path leaves to the slow path. p: the result of the allocator; NULL if it
 * failed. Returns p. All functions for the slow path keep errno. */
void *acct_alloc_slow(struct origin, void *p, uint64_t bytes, enum family);

/* The same for a site with a passed context, where the hot path did not find the context or could not count
 * the block. of_site: the context plus the number of the site; hash: context_hash_of it. */
void *acct_alloc_slow_by_context(struct allocsite_site *, void *p, uint64_t bytes, enum family,
                                 uint64_t of_site, uint64_t hash);

/* Counts a block that no allocator returned. */
void acct_mark(const void *p, uint64_t bytes, struct origin);

/* Counts the free of a block. The caller frees it afterwards. */
void acct_free(void *p, struct origin, enum family);

/* Call the allocator's realloc and count the call. */
void *acct_realloc(void *old, size_t bytes, struct allocsite_site *);
void *acct_realloc_unsited(void *old, size_t bytes, const void *caller);

/* Like acct_realloc, with another realloc function, for a block that is not NULL. */
void *acct_realloc_with(void *(*)(void *, size_t), void *old, size_t bytes, struct origin);

/* Like acct_realloc, for a caller that passes its context instead of storing it. */
void *acct_realloc_by_context(void *old, size_t bytes, struct allocsite_site *, uint64_t value);

/* Like acct_realloc and acct_realloc_unsited, with sizes=1. */
void *acct_realloc_by_size(void *old, size_t bytes, struct allocsite_site *);
void *acct_realloc_unsited_by_size(void *old, size_t bytes, const void *caller);

/* Counts a call of the allocator's realloc for a block without a known owner. */
void acct_realloc_end(struct origin, const void *p, size_t bytes);

/* Returns whether the option fail wants the call to fail. */
bool acct_fails(struct origin);

/* Counts a call that failed because its size overflows, or for the option fail. */
void acct_failed(struct origin);

/* Counts the free of a block and calls the allocator's free. */
void acct_free_block_slow(void *p, struct origin, enum family);

/* Like acct_free_block_slow with pairs=1, one function for each family. */
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

/* Checks the peak for the tally after `before`, then frees the block. The site is the second parameter, so
 * that it stays in its register. */
void acct_look_and_free(void *p, const struct allocsite_site *, struct tally *before, uint64_t bytes);

/* Enters a block in the shadow table. Returns false for a huge block, which only the slow path enters. */
static inline bool acct_enter(shadow_cell cell, uint32_t entry, const void *p, uint32_t key,
                              enum family family, uint64_t bytes) {
    if (LIKELY(bytes < SHADOW_SMALL)) {
        SHADOW_ASSERT_FREE(*shadow_entry(cell) >> 1);
        *shadow_entry(cell) = entry;
        return true;
    }
    if (UNLIKELY(bytes > UINT32_MAX))
        return false;
    shadow_enter_large(shadow_large_entry(p), p, key + ((uint32_t)family << FAMILY_AT), (uint32_t)bytes);
    return true;
}

/* Makes the slot's row for sizes and counts a block that is already entered. event_begin has been called;
 * calls event_end. Returns p. Keeps errno. */
void *acct_gain_first(void *p, uint32_t key, uint64_t bytes) __attribute__((returns_nonnull));

static inline void *acct_end(bool has_begun, void *p) {
    if (has_begun)
        event_end();
    return p;
}

/* Enters and counts a block. Returns p; NULL: the slow path must count it. __builtin_unreachable saves a test
 * for NULL. by_size: a compile-time constant. */
static inline __attribute__((always_inline)) void *
acct_gain(struct thread *thread, uint32_t key, void *p, uint64_t bytes, enum family family, bool by_size) {
    uint32_t entry;
    shadow_cell cell = shadow_encode(p, key + (uint32_t)bytes + ((uint32_t)family << FAMILY_AT), &entry);
    if (by_size)
        event_begin(); /* before the capacity is read, which a fork sets to 0 */
    if (UNLIKELY(!shadow_fits(cell) || key >= thread->capacity) ||
        !acct_enter(cell, entry, p, key, family, bytes))
        return acct_end(by_size, NULL);
    if (!p || bytes > UINT32_MAX)
        __builtin_unreachable();
    if (by_size && UNLIKELY(!sizes_add_quickly(key, bytes)))
        return acct_gain_first(p, key, bytes);
    struct tally *tally = tally_of_key(thread, key);
    if (tally_gain_unseen(thread, tally, bytes))
        return peak_look_allocated(acct_end(by_size, p), thread, tally, bytes);
    return acct_end(by_size, p);
}

/* Counts an allocation without entering the block (owners=0). Returns false if the slow path must count
 * it. */
static inline bool acct_gain_alone(uint32_t key, const void *p, uint64_t bytes) {
    struct thread *thread = local.alloc_view;
    if (UNLIKELY(!p || key >= thread->capacity))
        return false;
    tally_gain_alone(tally_of_key(thread, key), bytes);
    return true;
}

static inline __attribute__((always_inline)) void *acct_alloc(struct allocsite_site *site, void *p,
                                                              uint64_t bytes, enum family family) {
    void *counted = acct_gain(local.alloc_view, site->key, p, bytes, family, false);
    if (LIKELY(counted != NULL))
        return counted;
    return runtime_off ? p : acct_alloc_slow(BY_SITE(site), p, bytes, family);
}

/* Like acct_alloc, but does not count a failed call. It then returns NULL, without another test on the hot
 * path. */
static inline __attribute__((always_inline)) void *acct_alloc_made(struct allocsite_site *site, void *p,
                                                                   uint64_t bytes, enum family family) {
    void *counted = acct_gain(local.alloc_view, site->key, p, bytes, family, false);
    if (LIKELY(counted != NULL) || !p)
        return counted;
    return runtime_off ? p : acct_alloc_slow(BY_SITE(site), p, bytes, family);
}

/* The frame address of the current function, computed without a frame pointer. A function that is tail-called
 * has the same frame address. */
#define OWN_FRAME ((const void *)((const uintptr_t *)__builtin_dwarf_cfa() - 2))

/* Like acct_alloc, for a caller that passes its context instead of storing it. *of_site is the context plus
 * the number of the site, so that one word keeps both over the call of the allocator. *site and *of_site are
 * volatile and read twice, so that they occupy no register. */
static inline __attribute__((always_inline)) void *
acct_alloc_by_context(struct allocsite_site *volatile *site, void *p, uint64_t bytes, enum family family,
                      const volatile uint64_t *of_site, const void *frame) {
    uint64_t hash = context_hash_of(*of_site, frame);
    struct thread *thread = local.alloc_view;
    uint32_t key;
    if (UNLIKELY(!context_guess(thread, hash, &key)))
        key = (*site)->key;
    void *counted = acct_gain(thread, key, p, bytes, family, false);
    return LIKELY(counted != NULL) ? counted
                                   : acct_alloc_slow_by_context(*site, p, bytes, family, *of_site, hash);
}

/* Leaves all calls except the peak check to the slow path. Otherwise the compiler would save registers for
 * more calls than the allocator's. */
static inline __attribute__((always_inline)) void *acct_alloc_unsited(const void *caller, void *p,
                                                                      uint64_t bytes, enum family family) {
    void *counted = LIKELY(!local.silent)
                        ? acct_gain(local.alloc_view, caller_key_cached(caller), p, bytes, family, false)
                        : NULL;
    if (LIKELY(counted != NULL))
        return counted;
    return runtime_off ? p : acct_alloc_slow((struct origin){.caller = caller}, p, bytes, family);
}

/* Subtracting this from a value removes the expected family and KEY(1). The result exceeds every capacity if
 * the family is another one, the block was freed, or the value is zero. For FAMILY_ANY, acct_key_bits removes
 * both. */
#define OWN_LESS(family) ((family) == FAMILY_ANY ? 0 : ((uint32_t)(family) << FAMILY_AT) + KEY(1))

static inline uint32_t acct_key_bits(uint32_t value, enum family family) {
    return family == FAMILY_ANY ? (value & ~(3u << FAMILY_AT)) - KEY(1) : value;
}

/* Removes the block at p from the tables if it is of this family and this thread has its slot in the slab;
 * otherwise returns false. p must be covered (shadow_covers). *key_bits: the key minus KEY(1), with arbitrary
 * bits below the key. */
static inline bool acct_take(const void *p, enum family family, const struct thread *thread,
                             uint32_t *key_bits, uint64_t *bytes) {
    uint32_t *small = shadow.small;
    shadow_cell cell;
    *key_bits = acct_key_bits(shadow_read_less(small, p, OWN_LESS(family), &cell), family);
    if (LIKELY(*key_bits < thread->capacity)) {
        shadow_mark_freed((uint32_t *)((uintptr_t)small + cell * sizeof *small));
        *bytes = *key_bits & (SHADOW_SMALL - 1);
        return true;
    }
    struct shadow_large *large = shadow_large_entry(p);
    *key_bits = acct_key_bits(large->value - OWN_LESS(family), family);
    if (UNLIKELY(!shadow_large_is(large->value, p) ||
                 *key_bits >= __atomic_load_n(&thread->capacity, __ATOMIC_RELAXED)))
        return false;
    large->value |= SHADOW_FREED;
    *bytes = large->size;
    return true;
}

/* Counts the free of a block and frees it, if the address has none of the bits in *slow_bits. Returns false
 * if the slow path must free it. All calls are tail calls; otherwise every path would save the registers that
 * the last one needs. */
static inline __attribute__((always_inline)) bool acct_free_quickly(void *p, const uintptr_t *slow_bits,
                                                                    struct allocsite_site *site,
                                                                    bool has_site, enum family family) {
    struct thread *thread = local.free_view;
    uint32_t key_bits;
    uint64_t bytes;
    if (UNLIKELY(!shadow_has_none(p, slow_bits)) ||
        UNLIKELY(!acct_take(p, family, thread, &key_bits, &bytes)))
        return false;
    struct tally *before = tally_of_key(thread, key_bits & -KEY(1));
    if (tally_lose_unseen(thread, before + 1, bytes))
        acct_look_and_free(p, site, before, bytes);
    else
        (has_site ? &underlying : &underlying_after)->free(p);
    return true;
}

/* Frees a block on the slow path. Only this path reads the return address of an unsited call. */
static inline __attribute__((always_inline)) void acct_free_slowly(void *p, struct allocsite_site *site,
                                                                   bool has_site, enum family family) {
    struct origin by = {site, has_site ? NULL : __builtin_return_address(0)};
    if (runtime_pairs)
        acct_free_in_pair(p, by, family);
    else
        runtime_off ? (has_site ? &underlying : &underlying_after)->free(p)
                    : acct_free_block_slow(p, by, family);
}

static inline __attribute__((always_inline)) void acct_free_block(void *p, struct allocsite_site *site,
                                                                  bool has_site, enum family family) {
    if (!acct_free_quickly(p, &shadow.slow_bits_hot, site, has_site, family))
        acct_free_slowly(p, site, has_site, family);
}

#endif
