/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that the hot path leaves over though their sites and threads are ready: those in the second halves
 * of cells. */
#ifndef ALLOCSITE_LIB_OWN_OWN_OTHER_H
#define ALLOCSITE_LIB_OWN_OWN_OTHER_H

#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "lib/own/own.h"

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

/* Blocks that own_gain leaves over. */
static inline struct tally *enter_other(struct thread *thread, uint32_t key, const void *p, uint64_t bytes,
                                        enum family family) {
    return bytes < SHADOW_SMALL ? enter_second(thread, key, p, bytes, family)
                                : enter_large(thread, key, p, bytes, family);
}

static inline bool gain_any(uint32_t key, void *p, uint64_t bytes, enum family family) {
    struct tally *tally = enter_other(local.current, key, p, bytes, family);
    if (tally)
        tally_gain(local.current, tally, bytes);
    return tally;
}

/* Takes a small block that own_take leaves over out of the tables. */
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

#endif
