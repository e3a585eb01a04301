/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that the hot path leaves over though their sites and threads are ready: large ones, and small ones
 * that are in the second table. */
#ifndef ALLOCSITE_LIB_BILL_OWN_OTHER_H
#define ALLOCSITE_LIB_BILL_OWN_OTHER_H

#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "lib/own/own.h"

#define LARGE_KEY(key) ((uint64_t)(key) << (LARGE_SLOT_AT - KEY_SHIFT))

/* The tally of the key, which is to count the block. NULL: not here. */
static inline struct tally *enter_large(uint32_t key, const void *p, uint64_t bytes, enum family family) {
    struct thread *thread = local.current;
    uint64_t *entry;
    if (!shadow_large_entry(p, &entry) || key >= thread->capacity || bytes < SHADOW_SMALL ||
        bytes >= LARGE_SIZE_MASK)
        return NULL;
    *entry = LARGE_KEY(key) | (uint64_t)family << LARGE_FAMILY_AT | shadow_large_offset(p) | bytes;
    return tally_of_key(thread, key);
}

/* The same for a small block. */
static inline struct tally *enter_second(uint32_t key, const void *p, uint64_t bytes, enum family family) {
    struct thread *thread = local.current;
    uint32_t value;
    shadow_cell cell = shadow_encode(p, key + ((uint32_t)family << FAMILY_AT) + (uint32_t)bytes, &value);
    uint32_t *entry = shadow_entry_any(cell);
    if (!entry || key >= thread->capacity)
        return NULL;
    *entry = value;
    return tally_of_key(thread, key);
}

/* Blocks that own_gain leaves over. */
static inline struct tally *enter_other(uint32_t key, const void *p, uint64_t bytes, enum family family) {
    return bytes < SHADOW_SMALL ? enter_second(key, p, bytes, family) : enter_large(key, p, bytes, family);
}

static inline bool gain_any(uint32_t key, void *p, uint64_t bytes, enum family family) {
    struct tally *tally = enter_other(key, p, bytes, family);
    if (tally)
        tally_gain(local.current, tally, bytes);
    return tally;
}

/* value: of a large entry for the address that was looked for. */
static inline uint32_t large_key(uint64_t value) {
    return (uint32_t)(value >> LARGE_SLOT_AT)
           << KEY_SHIFT; /* the mark of a freed one stays, above all keys */
}

static inline bool is_large(uint64_t value, const void *p, enum family family) {
    uint64_t wanted = (uint64_t)family << LARGE_FAMILY_AT | shadow_large_offset(p);
    uint64_t mask = LARGE_OFFSET_MASK | (family == FAMILY_ANY ? 0 : (uint64_t)3 << LARGE_FAMILY_AT);
    return ((value ^ wanted) & mask) == 0 && (value & LARGE_SIZE_MASK) != LARGE_SIZE_MASK;
}

static inline bool lose_large(const void *p, enum family family) {
    struct thread *thread = local.current;
    uint64_t *entry;
    if (!shadow_large_entry(p, &entry) || !is_large(*entry, p, family))
        return false;
    uint64_t value = *entry;
    uint32_t key = large_key(value);
    if (key - KEY(1) >= thread->capacity)
        return false;
    *entry = value | LARGE_FREED;
    tally_lose(thread, tally_of_key(thread, key), value & LARGE_SIZE_MASK);
    return true;
}

/* Blocks that own_free_block leaves over. */
static inline bool lose_other(const void *p, enum family family) {
    struct thread *thread = local.current;
    uint32_t half, *entry = shadow_entry_any(shadow_find_cell(p, &half));
    if (!entry)
        return false;
    uint32_t value = shadow_value(*entry, half);
    if (!shadow_value_lives(value))
        return lose_large(p, family);
    uint32_t of_family = family == FAMILY_ANY ? value & 3u << FAMILY_AT : (uint32_t)family << FAMILY_AT;
    uint32_t key = (value - of_family) & -KEY(1);
    if (key - KEY(1) >= thread->capacity)
        return false;
    shadow_mark_freed(entry);
    tally_lose(thread, tally_of_key(thread, key), value & (SHADOW_SMALL - 1));
    return true;
}

#endif
