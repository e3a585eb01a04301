/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting what happens to blocks: they come, change hands and go. The hot path. */
#ifndef ALLOCSITE_LIB_BILL_OWN_H
#define ALLOCSITE_LIB_BILL_OWN_H

#include "lib/bill/lifted.h"
#include "lib/count/change.h"
#include "lib/heap/next.h"

/* Who calls: a site or, where that is NULL, the code behind a return address. */
struct origin {
    struct allocsite_site *site;
    const void *caller;
};

/* Who counts what a slot is billed for now: within a custom allocator it is that one's backing. */
struct share own_share(uint32_t slot, uint64_t bytes);

/* The slot of who calls. */
uint32_t own_slot(struct origin);

/* What the hot path leaves over. All of them keep errno. p: what the allocator gave, NULL if it failed. */
void *own_alloc_slow(struct origin, void *p, uint64_t bytes, enum family);

/* Counts a block that no allocator gave. */
void own_mark(const void *p, uint64_t bytes, struct origin);

/* Counts a block that its allocator is about to get back. */
void own_free(void *p, struct origin, enum family);

/* Calls the allocator's realloc. */
void *own_realloc(void *old, size_t bytes, struct origin);

/* Counts a call of the allocator's realloc of a block that nobody is known to own. */
void own_realloc_end(struct origin, const void *p, size_t bytes);

/* A call that could not be made for want of a size that can be told. */
void own_failed(struct origin);

/* Frees a block as the allocator's free does. */
void own_free_block_slow(void *p, struct origin, enum family);

/* Has the tally behind this one looked at, and frees a block. */
void own_look_and_free(void *p, struct thread *, struct tally *before, uint64_t bytes);

/* The tally of a key. */
static inline struct tally *own_tally(struct thread *thread, uint32_t key) {
    _Static_assert(sizeof(struct tally) == 1u << (KEY_SHIFT - 3), "an index by one shift");
    return (struct tally *)((char *)thread->tallies + (key >> 3));
}

/* The block; NULL: it is not for the hot path. The compiler is told that it is not NULL, or it would test. */
static inline void *own_gain(uint32_t key, void *p, uint64_t bytes, enum family family) {
    struct thread *thread = local.current;
    uint32_t entry;
    shadow_cell cell = shadow_encode(p, key + ((uint32_t)family << FAMILY_AT) + (uint32_t)bytes, &entry);
    if (UNLIKELY(!shadow_fits(cell) || key >= thread->capacity || bytes >= SHADOW_SMALL))
        return NULL;
    if (!p)
        __builtin_unreachable();
    *shadow_entry(cell) = entry;
    struct tally *tally = own_tally(thread, key);
    return tally_gain_unseen(thread, tally, bytes) ? peak_look_gained(p, thread, tally, bytes) : p;
}

/* Where owners are not noted. */
static inline bool own_gain_alone(uint32_t key, const void *p, uint64_t bytes) {
    struct thread *thread = local.current;
    if (UNLIKELY(!p || key >= thread->capacity))
        return false;
    tally_gain_alone(own_tally(thread, key), bytes);
    return true;
}

static inline void *own_alloc(struct allocsite_site *site, void *p, uint64_t bytes, enum family family) {
    void *counted = own_gain(site->key, p, bytes, family);
    if (LIKELY(counted != NULL))
        return counted;
    return runtime_off ? p : own_alloc_slow((struct origin){.site = site}, p, bytes, family);
}

/* What needs a call but looking at the peak is left over, or more than the call of the allocator would need
 * registers. */
static inline void *own_alloc_unsited(const void *caller, void *p, uint64_t bytes, enum family family) {
    void *counted = LIKELY(!local.diverted) ? own_gain(unsited_key_cached(caller), p, bytes, family) : NULL;
    if (LIKELY(counted != NULL))
        return counted;
    return runtime_off ? p : own_alloc_slow((struct origin){.caller = caller}, p, bytes, family);
}

/* Frees a block as the allocator's free does. Every way out is a jump, or what the last one needs would have
 * to be saved on all of them. */
static inline void own_free_block(void *p, struct origin by, enum family family) {
    struct thread *thread = local.current;
    uint32_t half, rest = UINT32_MAX;
    shadow_cell cell = shadow_find_cell(p, &half);
    /* A value of another family, or of zeros, is not below any capacity either. */
    if (LIKELY(shadow_fits(cell))) {
        uint32_t value = shadow_value(*shadow_entry(cell), half);
        rest = (family == FAMILY_ANY ? value & ~(3u << FAMILY_AT) : value - ((uint32_t)family << FAMILY_AT)) -
               KEY(1);
    }
    if (UNLIKELY(rest >= thread->capacity)) {
        runtime_off ? next.free(p) : own_free_block_slow(p, by, family);
        return;
    }
    __asm__("" : "+r"(cell)); /* or GCC spends an instruction on an address that serves twice */
    shadow_mark_freed(shadow_entry(cell));
    uint64_t bytes = rest & (SHADOW_SMALL - 1);
    struct tally *before = own_tally(thread, rest & -KEY(1));
    if (tally_lose_unseen(thread, before + 1, bytes))
        own_look_and_free(p, thread, before, bytes);
    else
        next.free(p);
}

#endif
