/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts that blocks are allocated, are released and change owners. */
#include "lib/count/change.h"

#include "base/arrays.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/tally.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"

#include "lib/base/table.h"
#include "lib/count/threads.h"
#include "model/counters.h"

static void share_gain(struct thread *thread, struct share share) {
    struct tally *tally = thread_tally(thread, share.slot);
    if (share.is_chunk || !runtime_owners)
        tally_gain_alone(tally, share.bytes);
    else
        tally_gain(thread, tally, share.bytes);
}

static void share_lose(struct thread *thread, struct share share) {
    struct tally *tally = thread_tally(thread, share.slot);
    if (share.is_chunk)
        tally_lose_alone(tally, share.bytes);
    else
        tally_lose(thread, tally, share.bytes);
}

/* Returns this thread's structure if its slab has the slot, otherwise NULL. The thread may be diverted from
 * the hot path. */
static inline struct thread *thread_at_hand(uint32_t slot) {
    struct thread *thread = local.thread;
    bool holds = LIKELY(thread != NULL) && slot != NO_SLOT && KEY(slot) < thread->capacity;
    return holds ? thread : NULL;
}

/* Returns at_hand, the result of thread_at_hand, or if that is NULL a thread that must be released. */
static inline struct thread *thread_for(uint32_t slot, struct thread *at_hand) {
    return LIKELY(at_hand != NULL) || slot == NO_SLOT ? at_hand : thread_acquire(slot, slot);
}

bool change_gain(struct share share) {
    struct thread *at_hand = thread_at_hand(share.slot), *thread = thread_for(share.slot, at_hand);
    if (!thread)
        return false;
    share_gain(thread, share);
    if (UNLIKELY(!at_hand))
        thread_release(thread);
    sizes_count(share.slot, share.bytes);
    return true;
}

bool change_lose(struct share share) {
    struct thread *at_hand = thread_at_hand(share.slot), *thread = thread_for(share.slot, at_hand);
    if (!thread)
        return false;
    share_lose(thread, share);
    if (UNLIKELY(!at_hand))
        thread_release(thread);
    return true;
}

/* For a realloc where the old or the new block is a chunk of a custom allocator. */
static void share_move(struct thread *thread, struct share from, struct share to) {
    struct extra *old_extra = &thread->extras[from.slot], *new_extra = &thread->extras[to.slot];
    share_gain(thread, to);
    counter_bump(&new_extra->reallocs, 1);
    counter_bump(&new_extra->realloc_bytes, to.bytes);
    counter_bump(&new_extra->realloc_old_bytes, from.bytes);
    share_lose(thread, from);
    counter_bump(&old_extra->moved, 1);
    counter_bump(&old_extra->moved_bytes, from.bytes);
}

bool change_move(struct share from, struct share to) {
    if (from.slot == NO_SLOT)
        return change_appear(to);
    struct thread *thread = to.slot == NO_SLOT ? NULL : thread_acquire_extras(to.slot, from.slot);
    if (!thread)
        return false;
    if (from.is_chunk || to.is_chunk)
        share_move(thread, from, to);
    else
        tally_move(thread, thread, thread_tally(thread, from.slot), from.bytes, thread_tally(thread, to.slot),
                   to.bytes, false);
    thread_release(thread);
    sizes_count(to.slot, to.bytes);
    return true;
}

bool change_appear(struct share share) {
    struct thread *thread = share.slot == NO_SLOT ? NULL : thread_acquire_extras(share.slot, share.slot);
    if (!thread)
        return false;
    share_gain(thread, share);
    counter_bump(&thread->extras[share.slot].reallocs, 1);
    counter_bump(&thread->extras[share.slot].realloc_bytes, share.bytes);
    thread_release(thread);
    sizes_count(share.slot, share.bytes);
    return true;
}

bool change_rare(uint32_t slot, size_t counter) {
    struct thread *thread = slot == NO_SLOT ? NULL : thread_acquire(slot, slot);
    if (!thread)
        return false;
    struct rare *rare = thread_rare(thread, slot);
    if (rare)
        counter_bump((uint64_t *)((char *)rare + counter), 1);
    thread_release(thread);
    return rare;
}

_Static_assert(SIZE_CLASSES == sizeof((struct profile_sizes *)0)->counts / sizeof(uint64_t),
               "as in profiles");

static struct table shapes = {.element = sizeof(struct profile_sizes),
                              .first = PROFILE_SIZES_FIRST,
                              .fork = OS_FORK_WIPES,
                              .areas = &store_areas,
                              .kind = PROFILE_SIZES};

bool sizes_wanted;
char *sizes_rows[SIZES_SHIFT + TABLE_CHUNKS];

static void sizes_show_row(uint32_t row, struct profile_sizes *shape) {
    struct chunk_place at = chunk_place(PROFILE_SIZES_FIRST, row);
    __atomic_store_n(&sizes_rows[SIZES_SHIFT + at.chunk], (char *)(shape - row), __ATOMIC_RELEASE);
}

void sizes_add(uint32_t slot, uint64_t size) {
    uint32_t row = slot_row(slot);
    struct profile_sizes *shape = table_at(&shapes, row);
    if (shape) {
        sizes_show_row(row, shape);
        bump_shared(&shape->counts[size_class(size)], 1);
    } else {
        gap_set(GAP_MEMORY);
    }
}

void sizes_reset(void) {
    for (uint32_t slot = 0; slot < record_count(); slot++) {
        struct profile_sizes *shape = table_peek(&shapes, slot);
        for (int i = 0; shape && i < SIZE_CLASSES; i++)
            __atomic_store_n(&shape->counts[i], 0, __ATOMIC_RELAXED);
    }
}
