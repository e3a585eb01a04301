/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the events of custom allocators' blocks. */
#include "lib/custom_alloc/custom.h"

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/tally.h"
#include "lib/paths/origin.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"

#include "lib/count/pairs.h"
#include "lib/count/threads.h"
#include "lib/custom_alloc/arenas.h"

static uint32_t sum_slot_given;

uint32_t custom_sum_slot(void) {
    uint32_t slot = __atomic_load_n(&sum_slot_given, __ATOMIC_ACQUIRE);
    return slot ? slot : NO_SLOT;
}

static uint32_t sum_slot_made(void) {
    uint32_t none = 0, slot = __atomic_load_n(&sum_slot_given, __ATOMIC_ACQUIRE);
    if (slot)
        return slot;
    struct record record = {.module = module_of(&sum_slot_given), .what = PROFILE_CUSTOM};
    slot = record.module ? record_add(&record) : NO_SLOT;
    if (slot == NO_SLOT ||
        __atomic_compare_exchange_n(&sum_slot_given, &none, slot, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return slot;
    record_drop(slot);
    return none;
}

/* The sum is in no total, so it is counted like chunks. */
static struct share share_in_sum(uint64_t bytes) {
    return (struct share){sum_slot_made(), true, bytes};
}

static struct share share_of_entry(uint64_t entry) {
    return (struct share){custom_slot(entry), entry & CUSTOM_CHUNK, custom_size(entry)};
}

void custom_enter(uint32_t depth) {
    local.custom = depth;
    if (depth == 1)
        thread_hide();
}

void custom_leave(uint32_t around) {
    local.custom = around;
    if (!around)
        thread_show();
}

static void entry_lose(uint64_t entry, struct origin by) {
    struct share share = share_of_entry(entry);
    change_lose(share);
    change_lose(share_in_sum(share.bytes));
    if (runtime_pairs)
        pair_count(PAIR_FREE, share.slot, origin_slot(by), share.bytes);
}

void custom_lose_entry(uint64_t entry, const void *p, struct origin by) {
    if (entry & CUSTOM_CHUNK)
        custom_released(p, custom_size(entry), by);
    entry_lose(entry, by);
}

/* Removes the block from the table and from its arena. */
static uint64_t block_remove(const struct custom_block *block) {
    uint64_t entry = *block->entry;
    *block->entry = 0;
    custom_arena_remove(block);
    if (births_wanted && !(entry & CUSTOM_CHUNK))
        lifetime_end(custom_slot(entry), birth_take(block->p));
    return entry;
}

void custom_lose(void *by, const struct custom_block *block) {
    custom_lose_entry(block_remove(block), block->p, *(struct origin *)by);
}

void custom_released(const void *start, uint64_t size, struct origin by) {
    custom_blocks_within(start, size, custom_lose, &by);
}

/* Returns whether an old block at an address that is handed out has ended: it was released in a way that the
 * runtime did not see, or it came from another allocator and this one passes it on unchanged. A much larger
 * block is the chunk that the new block is the beginning of. */
static bool has_ended(uint64_t entry, uint64_t bytes) {
    return !(entry & CUSTOM_CHUNK) || custom_size(entry) / 2 <= bytes + 32;
}

static COLD void address_clear(const void *p, uint64_t bytes, struct origin by) {
    struct custom_block found = custom_block_find(p, true);
    while (found.entry && has_ended(*found.entry, bytes)) {
        entry_lose(block_remove(&found), by);
        found = custom_block_find(p, true);
    }
}

/* On the hot path, so no custom allocator is in progress, and counting is not paused or detailed. */
bool custom_gain_quickly(const struct allocsite_site *site, const void *p, uint64_t bytes) {
    struct thread *thread = local.alloc_view;
    uint32_t key = site->key, sum = __atomic_load_n(&sum_slot_given, __ATOMIC_ACQUIRE);
    uint64_t *entry = custom_block_alone(p);
    if (!entry || *entry || !sum || key >= thread->capacity || KEY(sum) >= thread->capacity ||
        bytes > CUSTOM_SIZE_MASK)
        return false;
    *entry = CUSTOM_LIVE | (uint64_t)key_slot(key) << CUSTOM_SIZE_BITS | bytes;
    tally_gain(thread, tally_of_key(thread, key), bytes);
    tally_gain_alone(tally_of_key(thread, KEY(sum)), bytes);
    return true;
}

/* Uses local.thread, because the function that frees the block has diverted the thread from the hot path. */
bool custom_lose_quickly(const void *p) {
    struct thread *thread = local.thread;
    uint32_t sum = KEY(__atomic_load_n(&sum_slot_given, __ATOMIC_ACQUIRE));
    uint64_t *entry = custom_block_alone(p);
    if (!entry || !(*entry & CUSTOM_LIVE) || *entry & CUSTOM_CHUNK || !thread || runtime_pairs ||
        births_wanted)
        return false;
    uint32_t key = KEY(custom_slot(*entry));
    uint64_t bytes = custom_size(*entry);
    if (key >= thread->capacity || sum >= thread->capacity ||
        custom_block_node(&(struct custom_block){.p = p}, false))
        return false;
    *entry = 0;
    tally_lose(thread, tally_of_key(thread, key), bytes);
    tally_lose_alone(tally_of_key(thread, sum), bytes);
    return true;
}

static struct custom_block block_put(const void *p, struct share share) {
    struct custom_block block = {.p = p};
    if (share.slot != NO_SLOT)
        block = custom_block_put(p, share.slot, share.bytes, share.is_chunk);
    if (!block.entry)
        gap_set(GAP_CUSTOM);
    return block;
}

void custom_gain(struct origin origin, const void *p, uint64_t bytes, const void *arena) {
    address_clear(p, bytes, origin);
    if (threads_are_paused())
        return;
    struct share share = origin_share(origin_slot(origin), bytes);
    struct custom_block block = block_put(p, share);
    if (!block.entry)
        return;
    if (!change_gain(share)) {
        *block.entry = 0;
        return;
    }
    change_gain(share_in_sum(bytes));
    if (!share.is_chunk)
        lifetime_begin(p);
    if (arena)
        custom_arena_add(arena, &block);
}

static void count_move(uint64_t old_entry, struct share to, struct origin origin) {
    struct share from = share_of_entry(old_entry);
    if (!old_entry) {
        change_appear(to);
        change_appear(share_in_sum(to.bytes));
        return;
    }
    change_move(from, to);
    change_move(share_in_sum(from.bytes), share_in_sum(to.bytes));
    if (runtime_pairs)
        pair_count(PAIR_REALLOC, from.slot, to.is_chunk ? origin_slot(origin) : to.slot, from.bytes);
}

struct custom_block custom_move(struct origin origin, uint64_t old_entry, const void *old, const void *p,
                                uint64_t bytes) {
    struct share share = origin_share(origin_slot(origin), bytes);
    struct custom_block block = {.p = p};
    address_clear(p, bytes, origin);
    if (old_entry & CUSTOM_CHUNK && old != p)
        custom_released(old, custom_size(old_entry), origin);
    if (!threads_are_paused())
        block = block_put(p, share);
    if (block.entry) {
        count_move(old_entry, share, origin);
        if (!share.is_chunk)
            lifetime_begin(p);
    } else if (old_entry) {
        entry_lose(old_entry, origin);
    }
    return block;
}

void custom_fail(struct origin origin) {
    if (!threads_are_paused())
        change_rare(origin_share(origin_slot(origin), 0).slot, offsetof(struct rare, failed));
}
