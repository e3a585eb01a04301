/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/bill/steps.h"

#include "base/hash.h"
#include "lib/base/slot.h"
#include "lib/who/modules.h"
#include "lib/who/unloads.h"

/* 0: no room for more, or not known and none that may be added. */
static profile_name step_of(const void *address, profile_name caller, bool may_add) {
    struct module_address at = module_address(address);
    struct profile_step step = {.caller = caller,
                                .module = !at.module || at.module->slot == NO_SLOT ? 0 : at.module->slot,
                                .address = {(uint32_t)at.address, (uint32_t)(at.address >> 32)}};
    return names_step(&step, may_add);
}

/* Steps that were here, by address and caller: what the hash of both has above the index, and the step. To
 * find the module of an address takes some hundred instructions. */
#define STEP_CACHE_BITS 13
static uint64_t step_cache[1u << STEP_CACHE_BITS];

static profile_name step_seen(const void *address, profile_name caller, bool may_add,
                              uint32_t unloads_before) {
    uint64_t hash = hash_more((uint64_t)unloads_before << 32 | caller, (uintptr_t)address);
    uint64_t *word = &step_cache[hash & ((1u << STEP_CACHE_BITS) - 1)];
    uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    const struct profile_step *step = names_step_at((profile_name)seen);
    if (seen >> 32 == hash >> 32 && step && step->caller == caller)
        return (profile_name)seen;
    profile_name found = step_of(address, caller, may_add);
    if (found && unloads_none_since(unloads_before))
        __atomic_store_n(word, hash >> 32 << 32 | found, __ATOMIC_RELAXED);
    return found;
}

/* The last stack of which the steps were looked for, from the outermost one on: what the next has in common
 * with it has the same ones. Of frames that are not known by their numbers the stack pointer is NOWHERE.
 * Whoever finds it taken does without. */
#define LAST_FRAMES 256
#define NOWHERE     UINTPTR_MAX
static struct last {
    bool is_taken;
    uint32_t unloads_before;
    size_t count; /* of the stack, or LAST_FRAMES */
    struct walk_marked frames[LAST_FRAMES];
    profile_name steps[LAST_FRAMES];
    size_t by_pointer[LAST_FRAMES]; /* of its frame and those beyond but the outermost */
} last;

static bool last_take(void) {
    return !__atomic_exchange_n(&last.is_taken, true, __ATOMIC_ACQUIRE);
}

/* same: the frames that were not changed, nor have been unloaded. */
static void last_give(size_t count, size_t same, uint32_t unloads_before) {
    last.count = count < LAST_FRAMES ? count : LAST_FRAMES;
    last.count = unloads_none_since(unloads_before) ? last.count : same;
    last.unloads_before = unloads_before;
    __atomic_store_n(&last.is_taken, false, __ATOMIC_RELEASE);
}

static void last_set(size_t i, const struct walk_marked *frame, profile_name step) {
    last.frames[i] = *frame;
    last.steps[i] = step;
    last.by_pointer[i] = i ? last.by_pointer[i - 1] + frame->by_pointer : 0;
}

static size_t same_as_last(const void *const *frames, size_t count, uint32_t unloads_before) {
    size_t most = count < last.count ? count : last.count, same = 0;
    if (last.unloads_before != unloads_before)
        return 0;
    while (same < most && last.frames[same].pc == (uintptr_t)frames[count - 1 - same])
        same++;
    return same;
}

profile_name steps_find(const void *const *frames, size_t count, bool may_add, uint32_t unloads_before) {
    bool is_mine = last_take();
    size_t i = is_mine ? same_as_last(frames, count, unloads_before) : 0, first = i;
    profile_name step = i ? last.steps[i - 1] : 0;
    for (; i < count; i++) {
        const void *frame = frames[count - 1 - i];
        step = step_seen(frame, step, may_add, unloads_before);
        if (!step)
            break;
        if (is_mine && i < LAST_FRAMES)
            last_set(i, &(struct walk_marked){.pc = (uintptr_t)frame, .sp = NOWHERE}, step);
    }
    if (is_mine)
        last_give(i, first, unloads_before);
    return step;
}

/* More are walked in the way that needs no numbers. */
#define FRAMES_FEW 64

void steps_know(const void *frame, uint64_t context) {
    struct walk_marked marked[FRAMES_FEW];
    size_t same, count = walk_marked(frame, context, NULL, 0, marked, FRAMES_FEW, &same);
    if (!last_take())
        return;
    for (size_t i = 0; i < count && i < last.count; i++) {
        size_t at = last.count - 1 - i;
        if (last.frames[at].pc != marked[i].pc)
            break;
        last.frames[at] = marked[i];
    }
    for (size_t at = 1; at < last.count; at++) {
        const void *pair[] = {(const void *)last.frames[at].pc, NULL};
        last.by_pointer[at] = last.by_pointer[at - 1] + walk_by_pointer(pair, 2);
    }
    __atomic_store_n(&last.is_taken, false, __ATOMIC_RELEASE);
}

static bool extend_last(struct steps_stack *stack, const struct walk_marked *frames, size_t count,
                        size_t same, bool may_add, uint32_t unloads_before) {
    size_t at = same;
    stack->step = last.steps[same - 1];
    for (; count && at < LAST_FRAMES && stack->step; at++) {
        const struct walk_marked *frame = &frames[--count];
        stack->step = step_seen((const void *)frame->pc, stack->step, may_add, unloads_before);
        last_set(at, frame, stack->step);
    }
    stack->count = at;
    stack->by_pointer = last.by_pointer[at - 1];
    return !count && stack->step;
}

bool steps_find_known(struct steps_stack *stack, const void *frame, uint64_t context, bool may_add,
                      uint32_t unloads_before) {
    struct walk_marked frames[FRAMES_FEW];
    size_t same;
    if (!last_take())
        return false;
    size_t known = last.unloads_before == unloads_before ? last.count : 0;
    size_t count = walk_marked(frame, context, last.frames, known, frames, FRAMES_FEW, &same);
    bool is_known = same && extend_last(stack, frames, count, same, may_add, unloads_before);
    if (is_known)
        last_give(stack->count, same, unloads_before);
    else
        last_give(same ? same : known, same ? same : known, unloads_before);
    return is_known;
}
