/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/acct/acct_slow.h"

#include "lib/acct/acct.h"
#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/count/threads.h"
#include "lib/heap/chunk.h"
#include "lib/heap/operators.h"
#include "lib/heap/shadow.h"
#include "lib/heap/underlying.h"
#include "lib/hook/hook.h"
#include "lib/registry/registry.h"

#include <errno.h>

void event_enter(const void *p, uint32_t slot, enum family family, uint64_t bytes) {
    if (runtime_owners && !shadow_put(p, slot, family, bytes))
        gap_set(GAP_OWNERS);
}

/* Enters a block that is counted neither now nor when it is freed. */
static void enter_uncounted(const void *p, uint64_t bytes, enum family family) {
    if (p && !runtime_off && runtime_owners)
        shadow_put(p, SLOT_OURS, family, bytes);
}

/* Chunks are not blocks of the program, so their lifetimes are not counted. */
static void enter_share(const void *p, struct share share, enum family family) {
    event_enter(p, share.slot, share.is_chunk ? FAMILY_CHUNK : family, share.bytes);
    if (!share.is_chunk)
        lifetime_begin(p);
}

static void event_allocated_by_slot(uint32_t slot, const void *p, uint64_t bytes, enum family family) {
    struct share share = origin_share(slot, bytes);
    if (change_gain(share))
        enter_share(p, share, family);
    hook_event(ALLOCSITE_EVENT_ALLOC, share.slot, p, bytes, 0);
}

static struct share share_of_block(const struct block *block) {
    return (struct share){block->slot, block->family == FAMILY_CHUNK, block->size};
}

void event_released(const struct block *block) {
    change_lose(share_of_block(block));
    lifetime_end(block->slot, block->birth);
}

uint32_t event_moved(const struct block *old, uint32_t slot, const void *p, uint64_t bytes) {
    struct share share = origin_share(slot, bytes);
    bool is_counted = change_move(share_of_block(old), share);
    lifetime_end(old->slot, old->birth);
    if (is_counted)
        enter_share(p, share, FAMILY_MALLOC);
    hook_event(ALLOCSITE_EVENT_REALLOC, share.slot, p, bytes, old->size);
    return share.is_chunk ? slot : share.slot;
}

void event_appeared(uint32_t slot, const void *p, uint64_t bytes) {
    struct share share = origin_share(slot, bytes);
    if (change_appear(share))
        enter_share(p, share, FAMILY_MALLOC);
    hook_event(ALLOCSITE_EVENT_REALLOC, share.slot, p, bytes, 0);
}

static void event_failed(uint32_t slot) {
    change_rare(origin_share(slot, 0).slot, offsetof(struct rare, failed));
}

/* The C library allocates these blocks for the runtime. The runtime enters them in the shadow table without
 * counting them, because the C library may free them while local.silent is false. */
void event_ours(const void *p, uint64_t bytes) {
    local.heard = true;
    enter_uncounted(p, bytes, FAMILY_MALLOC);
}

void event_passed_by(const void *p, uint64_t bytes, enum family family) {
    enter_uncounted(p, bytes, family);
}

void event_allocated(struct origin origin, const void *p, uint64_t bytes, enum family family) {
    uint32_t slot = origin_call_slot(origin);
    if (p)
        event_allocated_by_slot(slot, p, bytes, family);
    else
        event_failed(slot);
}

static void mark_uncounted(const void *p, uint64_t bytes) {
    if (runtime_owners)
        shadow_put_apart(p, SLOT_OURS, FAMILY_MALLOC, bytes);
}

static void mark_counted(const void *p, uint64_t bytes, struct origin origin) {
    struct share share = origin_share(origin_call_slot(origin), bytes);
    enum family family = share.is_chunk ? FAMILY_CHUNK : FAMILY_MALLOC;
    if (change_gain(share) && runtime_owners && !shadow_put_apart(p, share.slot, family, share.bytes))
        gap_set(GAP_OWNERS);
    if (!share.is_chunk)
        lifetime_begin(p);
    hook_event(ALLOCSITE_EVENT_ALLOC, share.slot, p, bytes, 0);
}

void acct_mark(const void *p, uint64_t bytes, struct origin origin) {
    int error = errno;
    if (threads_are_paused())
        mark_uncounted(p, bytes);
    else if (runtime_counts())
        mark_counted(p, bytes, origin);
    errno = error;
}

void event_newest(const void *p) {
    if (runtime_temporary && p && !local.silent)
        local.newest = p;
}

/* Counts a fault only if it is certain. The C library may have allocated an unknown block unseen by the
 * runtime, perhaps at the address of a freed block. It then looks like a block of glibc. */
static void report_unknown(const void *p, const struct block *block, struct origin by) {
    if (bootstrap_readable(p) || local.silent || !runtime_owners || gaps_hide_blocks() || runtime_attached)
        return; /* blocks from before an attachment are unknown too */
    bool was_freed = block->state == BLOCK_FREED;
    if (rebind_is_done() || underlying_copier())
        gap_set(GAP_PAST); /* perhaps from a function that is not interposed */
    else if (underlying_is_glibc() && chunk_may_be_live(p) && !(was_freed && chunk_is_cached(p)))
        gap_set(GAP_ELSEWHERE);
    else
        pair_count(was_freed ? FAULT_DOUBLE_FREE : FAULT_FOREIGN, block->slot, origin_slot(by), 0);
}

void event_report_family(const struct block *block, enum family family, struct origin by) {
    if (family == FAMILY_ANY || block->family == family || block->family == FAMILY_CHUNK ||
        operators_are_replaced())
        return;
    bool both_new = block->family != FAMILY_MALLOC && family != FAMILY_MALLOC;
    pair_count(both_new ? FAULT_ARRAY_MISMATCH : FAULT_MISMATCH, block->slot, origin_slot(by), block->size);
}

struct block event_take(const void *p, struct origin by) {
    struct block block = shadow_find(p);
    if (block.state == BLOCK_LIVE)
        shadow_drop(p);
    else
        report_unknown(p, &block, by);
    if (births_wanted && block.family != FAMILY_CHUNK)
        block.birth = birth_take(p);
    return block;
}

bool event_is_counted(const struct block *block) {
    return block->state == BLOCK_LIVE && block->slot != SLOT_OURS;
}

bool event_was_newest(const void *p) {
    bool is_newest = runtime_temporary && p == local.newest;
    if (is_newest)
        local.newest = NULL;
    return is_newest;
}

void event_freed(const void *p, const struct block *block, struct origin by) {
    hook_event(ALLOCSITE_EVENT_FREE, block->slot, p, block->size, 0);
    event_released(block);
    if (runtime_pairs)
        pair_count(PAIR_FREE, block->slot, origin_slot(by), block->size);
}
