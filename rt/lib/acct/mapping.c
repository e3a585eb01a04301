/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/acct/mapping.h"

#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/threads.h"

#include <errno.h>
#include <sys/mman.h>

static struct share share_of_mapping(const struct mapping *mapping) {
    return (struct share){mapping->slot, true, mapping->end - mapping->begin};
}

static struct share share_of_call(struct origin origin, uint64_t bytes) {
    uint32_t slot = origin_call_slot(origin);
    if (slot != NO_SLOT)
        slot = part_uncounted(slot, PROFILE_MAPPED);
    return (struct share){slot == NO_SLOT ? NO_SLOT : stack_slot(slot), true, bytes};
}

/* to: the mapping that the removed one became; NULL: it was unmapped. */
static void count_cut(const struct mapping_cut *cut, const struct share *to) {
    size_t first_piece = 0;
    if (to)
        change_move(share_of_mapping(&cut->old), *to);
    else if (cut->piece_count)
        change_move(share_of_mapping(&cut->old), share_of_mapping(&cut->pieces[first_piece++]));
    else
        change_lose(share_of_mapping(&cut->old));
    for (; first_piece < cut->piece_count; first_piece++)
        change_appear(share_of_mapping(&cut->pieces[first_piece]));
}

static void unmap_range(uintptr_t begin, uintptr_t end, uint64_t below) {
    struct mapping_cut cut;
    while (mappings_take(begin, end, below, &cut))
        count_cut(&cut, NULL);
}

static void mapping_enter(const void *p, struct share share) {
    if (share.slot != NO_SLOT && !mappings_put((uintptr_t)p, (uintptr_t)p + share.bytes, share.slot)) {
        change_lose(share);
        gap_set(GAP_MEMORY);
    }
}

static void count_made(struct origin origin, const void *p, uint64_t bytes) {
    struct share share = share_of_call(origin, bytes);
    uint64_t signals = mappings_lock();
    unmap_range((uintptr_t)p, (uintptr_t)p + bytes, UINT64_MAX);
    if (!threads_are_paused() && change_gain(share))
        mapping_enter(p, share);
    mappings_unlock(signals);
}

void mapping_made(struct origin origin, const void *p, size_t bytes) {
    int error = errno;
    if (runtime_counts() && p != MAP_FAILED)
        count_made(origin, p, bytes);
    else if (runtime_counts() && !threads_are_paused())
        change_rare(share_of_call(origin, 0).slot, offsetof(struct rare, failed));
    errno = error;
}

struct mapping_call mapping_call_begin(const void *p, size_t bytes) {
    struct mapping_call call = {.begin = (uintptr_t)p};
    int error = errno;
    uint64_t signals = mappings_lock();
    call.below = mappings_number();
    call.end = bytes ? os_whole_pages(call.begin + bytes) : mappings_end(call.begin);
    mappings_unlock(signals);
    errno = error;
    return call;
}

void mapping_unmade(const struct mapping_call *call) {
    int error = errno;
    uint64_t signals = mappings_lock();
    unmap_range(call->begin, call->end, call->below);
    mappings_unlock(signals);
    errno = error;
}

/* A copy is a new mapping. A mapping that was not counted, for example because counting was stopped, appears
 * by a reallocation. */
static void count_moved(struct share share, const struct mapping_call *call, bool is_copy, const void *p) {
    struct mapping_cut cut;
    bool is_counted = !threads_are_paused();
    bool is_known = !is_copy && mappings_take(call->begin, call->end, call->below, &cut);
    if (is_known)
        count_cut(&cut, is_counted ? &share : NULL);
    if (!is_copy)
        unmap_range(call->begin, call->end, call->below);
    unmap_range((uintptr_t)p, (uintptr_t)p + share.bytes, UINT64_MAX);
    if (is_counted && (is_known || (is_copy ? change_gain(share) : change_appear(share))))
        mapping_enter(p, share);
}

void mapping_moved(struct origin origin, const struct mapping_call *call, bool is_copy, const void *p,
                   size_t bytes) {
    int error = errno;
    if (p == MAP_FAILED || !runtime_counts()) {
        mapping_made(origin, MAP_FAILED, 0);
        return;
    }
    struct share share = share_of_call(origin, bytes);
    uint64_t signals = mappings_lock();
    count_moved(share, call, is_copy, p);
    mappings_unlock(signals);
    errno = error;
}
