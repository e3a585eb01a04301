/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting that blocks come, go and change hands. */
#include "change.h"
#include "runtime.h"
#include "sizes.h"
#include "slabs.h"

static void gain(struct thread *thread, struct share share) {
    struct tally *tally = thread_tally(thread, share.slot);
    if (share.is_backing || !runtime_owners)
        tally_gain_alone(tally, share.bytes);
    else
        tally_gain(thread, tally, share.bytes);
}

static void lose(struct thread *thread, struct share share) {
    struct tally *tally = thread_tally(thread, share.slot);
    if (share.is_backing)
        tally_lose_alone(tally, share.bytes);
    else
        tally_lose(thread, tally, share.bytes);
}

/* This thread where it need not be looked for, though it may be turned away from the hot path now. */
static inline struct thread *thread_at_hand(uint32_t slot) {
    struct thread *thread = local.own;
    return LIKELY(thread && !runtime_details) && KEY(slot) < thread->capacity ? thread : NULL;
}

bool change_gain(struct share share) {
    struct thread *thread = share.slot == NO_SLOT ? NULL : thread_at_hand(share.slot);
    if (LIKELY(thread != NULL)) {
        gain(thread, share);
        return true;
    }
    thread = share.slot == NO_SLOT ? NULL : thread_acquire(share.slot, share.slot);
    if (!thread)
        return false;
    gain(thread, share);
    thread_release(thread);
    sizes_count(share.slot, share.bytes);
    return true;
}

bool change_lose(struct share share) {
    struct thread *thread = thread_at_hand(share.slot);
    if (LIKELY(thread != NULL)) {
        lose(thread, share);
        return true;
    }
    thread = thread_acquire(share.slot, share.slot);
    if (!thread)
        return false;
    lose(thread, share);
    thread_release(thread);
    return true;
}

/* Backing becomes a block, or the reverse, or stays what it is. */
static void move_apart(struct thread *thread, struct share from, struct share to) {
    struct extra *taken = &thread->extras[from.slot], *made = &thread->extras[to.slot];
    gain(thread, to);
    bump(&made->reallocs, 1);
    bump(&made->realloc_bytes, to.bytes);
    bump(&made->realloc_old_bytes, from.bytes);
    lose(thread, from);
    bump(&taken->moved, 1);
    bump(&taken->moved_bytes, from.bytes);
}

bool change_move(struct share from, struct share to) {
    struct thread *thread = to.slot == NO_SLOT ? NULL : thread_acquire_extras(to.slot, from.slot);
    if (!thread)
        return false;
    if (from.is_backing || to.is_backing)
        move_apart(thread, from, to);
    else
        tally_move(thread, thread_tally(thread, from.slot), from.bytes, thread_tally(thread, to.slot),
                   to.bytes);
    thread_release(thread);
    sizes_count(to.slot, to.bytes);
    return true;
}

bool change_appear(struct share share) {
    struct thread *thread = share.slot == NO_SLOT ? NULL : thread_acquire_extras(share.slot, share.slot);
    if (!thread)
        return false;
    gain(thread, share);
    bump(&thread->extras[share.slot].reallocs, 1);
    bump(&thread->extras[share.slot].realloc_bytes, share.bytes);
    thread_release(thread);
    sizes_count(share.slot, share.bytes);
    return true;
}

bool change_fail(uint32_t slot) {
    struct thread *thread = slot == NO_SLOT ? NULL : thread_acquire_extras(slot, slot);
    if (!thread)
        return false;
    bump(&thread->extras[slot].failed, 1);
    thread_release(thread);
    return true;
}
