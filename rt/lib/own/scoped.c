/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that are billed to a scope, or are not its own after all. */
#include "lib/base/local.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/bill/scope.h"
#include "lib/count/change.h"
#include "lib/count/threads.h"
#include "lib/heap/shadow.h"
#include "lib/own/own.h"

#include <errno.h>

void scope_call_failed(void) {
    if (local.scope.active && local.scope.failed && !local.scope.lifts)
        count_failed(local.scope.slot);
}

void scope_bill(const void *p, uint64_t bytes) {
    if (!local.scope.active)
        return;
    local.scope.counted = true;
    count_gained(local.scope.slot, p, bytes, local.scope.family);
}

static void disown(const void *p, uint32_t from, uint32_t to) {
    struct block block = shadow_find(p);
    struct thread *thread = slot_row(block.slot) == from ? thread_acquire(block.slot, to) : NULL;
    from = block.slot; /* a part of what it was */
    if (thread && block.state == BLOCK_LIVE) {
        shadow_put(p, to, FAMILY_MALLOC, block.size);
        tally_disown(thread, thread_tally(thread, from), thread_tally(thread, to), block.size);
    } else if (thread) {
        tally_disown_freed(thread_tally(thread, from), thread_tally(thread, to), block.size);
    }
    if (thread && sizes_wanted)
        sizes_disown(from, to, block.size);
    if (thread)
        thread_release(thread);
}

static void disown_gain(uint64_t bytes, uint32_t from, uint32_t to) {
    struct thread *thread = thread_acquire(from, to);
    if (!thread)
        return;
    tally_disown_gain(thread_tally(thread, from), thread_tally(thread, to), bytes);
    thread_release(thread);
}

void count_disowned(const struct billed *block, uint32_t from, uint32_t to) {
    int error = errno;
    if (runtime_owners)
        disown(block->p, from, to);
    else
        disown_gain(block->bytes, from, to);
    errno = error;
}

void scope_disown(const void *callee) {
    uint32_t count = local.billed_count < SCOPE_BLOCKS ? local.billed_count : SCOPE_BLOCKS;
    /* As if its call returned to its second byte: what looks for the caller looks before that. */
    uint32_t slot = count ? caller_slot((const char *)callee + 1) : NO_SLOT;
    for (uint32_t i = 0; slot != NO_SLOT && i < count; i++)
        count_disowned(&local.billed[i], local.scope.slot, slot);
    local.billed_count = 0;
}
