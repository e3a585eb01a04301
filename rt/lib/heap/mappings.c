/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/heap/mappings.h"

#include "lib/base/os.h"
#include "lib/base/state.h"

#include <string.h>

/* The kernel permits 65,530 mappings by default, but merges neighbours, which count separately here. */
#define MAPPINGS_MOST 131072

bool mappings_wanted;
static struct mapping *mappings;
static uint32_t mapping_count;
static uint64_t next_number = 1;
static int32_t owner; /* of the lock */

const struct root_list root_mappings = {.entries = &mappings,
                                        .count = &mapping_count,
                                        .most = MAPPINGS_MOST,
                                        .entry_size = sizeof(struct mapping)};

bool mappings_begin(void) {
    mappings = os_map(MAPPINGS_MOST * sizeof *mappings, OS_FORK_KEEPS);
    mappings_wanted = mappings;
    return mappings;
}

uint64_t mappings_lock(void) {
    uint64_t signals = os_signals_hold();
    (void)os_lock(&owner);
    return signals;
}

void mappings_unlock(uint64_t signals) {
    os_unlock(&owner);
    os_signals_release(signals);
}

uint64_t mappings_number(void) {
    return next_number;
}

/* Returns the index of the first mapping that ends behind the address. */
static uint32_t mapping_find(uintptr_t address) {
    uint32_t first = 0, last = mapping_count;
    while (first < last) {
        uint32_t middle = first + (last - first) / 2;
        if (mappings[middle].end <= address)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static void mapping_insert(uint32_t at, const struct mapping *mapping) {
    memmove(&mappings[at + 1], &mappings[at], (mapping_count - at) * sizeof *mappings);
    mappings[at] = *mapping;
    mapping_count++;
}

static void cut_keep(struct mapping_cut *cut, uintptr_t begin, uintptr_t end) {
    if (begin >= end)
        return;
    struct mapping *piece = &cut->pieces[cut->piece_count++];
    *piece = cut->old;
    piece->begin = begin;
    piece->end = end;
}

bool mappings_take(uintptr_t begin, uintptr_t end, uint64_t below, struct mapping_cut *cut) {
    uint32_t at = mapping_find(begin);
    while (at < mapping_count && mappings[at].begin < end && mappings[at].number >= below)
        at++;
    if (at == mapping_count || mappings[at].begin >= end)
        return false;
    *cut = (struct mapping_cut){.old = mappings[at]};
    cut_keep(cut, cut->old.begin, begin);
    cut_keep(cut, end, cut->old.end);
    memmove(&mappings[at], &mappings[at + 1], (mapping_count - at - 1) * sizeof *mappings);
    mapping_count--;
    if (mapping_count + cut->piece_count > MAPPINGS_MOST) {
        cut->piece_count = 1;
        gap_set(GAP_MEMORY);
    }
    for (size_t i = cut->piece_count; i-- > 0;)
        mapping_insert(at, &cut->pieces[i]);
    return true;
}

bool mappings_put(uintptr_t begin, uintptr_t end, uint32_t slot) {
    if (mapping_count == MAPPINGS_MOST)
        return false;
    mapping_insert(mapping_find(begin), &(struct mapping){begin, end, slot, 0, next_number++});
    return true;
}

uintptr_t mappings_end(uintptr_t begin) {
    uint32_t at = mapping_find(begin);
    return at < mapping_count && mappings[at].begin == begin ? mappings[at].end : begin;
}

void mappings_each(void (*visit)(void *context, const struct mapping *), void *context) {
    for (uint32_t i = 0; i < mapping_count; i++)
        visit(context, &mappings[i]);
}
