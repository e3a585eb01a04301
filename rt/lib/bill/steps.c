/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/bill/stacks.h"

#include "lib/base/slot.h"
#include "lib/count/tally.h"
#include "lib/who/modules.h"

#include <string.h>

static profile_name find_return(const void *address) {
    struct module_address at = module_address(address);
    struct profile_return to = {.module = !at.module || at.module->slot == NO_SLOT ? 0 : at.module->slot,
                                .address = {(uint32_t)at.address, (uint32_t)(at.address >> 32)}};
    return names_return(&to);
}

/* Return addresses that were here, for to find the module of one takes some hundred instructions. The first
 * word has a name and, below, the unloads before; the second one the address, mixed with the first: halves of
 * two entries fit together as seldom as hashes of 64 bits are equal. */
#define RETURN_CACHE_BITS 11
#define RETURN_MIX        0x9E3779B97F4A7C15u
static struct known_return { uint64_t name, address; } return_cache[1u << RETURN_CACHE_BITS];

/* 0: there is no memory. */
static profile_name return_seen(const void *address, uint32_t unloads_before) {
    struct known_return *known = &return_cache[(uintptr_t)address * RETURN_MIX >> (64 - RETURN_CACHE_BITS)];
    uint64_t name = __atomic_load_n(&known->name, __ATOMIC_RELAXED);
    uint64_t mixed = __atomic_load_n(&known->address, __ATOMIC_RELAXED) ^ name * RETURN_MIX;
    if (mixed == (uintptr_t)address && (uint32_t)name == unloads_before)
        return (profile_name)(name >> 32);
    profile_name found = find_return(address);
    if (!found || !unloads_none_since(unloads_before))
        return found;
    name = (uint64_t)found << 32 | unloads_before;
    __atomic_store_n(&known->name, name, __ATOMIC_RELAXED);
    __atomic_store_n(&known->address, (uintptr_t)address ^ name * RETURN_MIX, __ATOMIC_RELAXED);
    return found;
}

/* To the step of whom the stack's last one called; to 0 if there is no room for more, or it is not known and
 * none may be added. */
static void step_on(struct steps_stack *stack, const void *address, bool may_add, uint32_t unloads_before) {
    struct profile_step step = {stack->step, return_seen(address, unloads_before)};
    stack->is_new = stack->is_new && !threads_several;
    stack->step = step.to ? names_step(&step, may_add, &stack->is_new) : 0;
}

/* The last stack of which the steps were looked for, from the outermost one on: what the next has in common
 * with it has the same ones. Of a deep one these are the innermost frames. Of frames that are not known by
 * their numbers the stack pointer is NOWHERE. Whoever finds it taken does without. */
#define LAST_FRAMES 256
#define NOWHERE     UINTPTR_MAX
static struct last {
    bool is_taken;
    uint32_t unloads_before;
    size_t beyond; /* frames of the stack that are not among these */
    size_t count;
    struct walk_marked frames[LAST_FRAMES];
    profile_name steps[LAST_FRAMES];
    size_t by_pointer[LAST_FRAMES]; /* of its frame and those beyond but the outermost */
} last;

static bool last_take(void) {
    return !__atomic_exchange_n(&last.is_taken, true, __ATOMIC_ACQUIRE);
}

/* same: the frames that were not changed, nor have been unloaded. */
static void last_give(size_t count, size_t same, uint32_t unloads_before) {
    last.count = unloads_none_since(unloads_before) ? count : same;
    last.unloads_before = unloads_before;
    __atomic_store_n(&last.is_taken, false, __ATOMIC_RELEASE);
}

/* Half of them at once, so that it costs each frame no more than a copy or two. */
static void last_forget_outer(void) {
    size_t half = LAST_FRAMES / 2;
    memcpy(last.frames, last.frames + half, half * sizeof *last.frames);
    memcpy(last.steps, last.steps + half, half * sizeof *last.steps);
    memcpy(last.by_pointer, last.by_pointer + half, half * sizeof *last.by_pointer);
    last.beyond += half;
}

/* Returns how many there are then. */
static size_t last_set(size_t i, const struct walk_marked *frame, profile_name step) {
    if (i == LAST_FRAMES) {
        last_forget_outer();
        i = LAST_FRAMES / 2;
    }
    last.frames[i] = *frame;
    last.steps[i] = step;
    last.by_pointer[i] = i ? last.by_pointer[i - 1] + frame->by_pointer : 0; /* nobody called the outermost */
    return i + 1;
}

static size_t same_as_last(const void *const *frames, size_t count, uint32_t unloads_before) {
    size_t most = count < last.count ? count : last.count, same = 0;
    if (last.beyond || last.unloads_before != unloads_before)
        return 0;
    while (same < most && last.frames[same].pc == (uintptr_t)frames[count - 1 - same])
        same++;
    return same;
}

/* Finds the steps of the frames from the i-th on, outermost first, and notes them. Returns how many are noted
 * then. */
static size_t find_and_note(struct steps_stack *stack, const void *const *frames, size_t i, bool may_add,
                            uint32_t unloads_before) {
    size_t kept = i;
    for (; i < stack->count; i++) {
        const void *frame = frames[stack->count - 1 - i];
        step_on(stack, frame, may_add, unloads_before);
        if (!stack->step)
            break;
        struct walk_marked unmarked = {
            .pc = (uintptr_t)frame, .sp = NOWHERE, .by_pointer = walk_is_by_pointer(frame)};
        kept = last_set(kept, &unmarked, stack->step);
    }
    return kept;
}

static void find_alone(struct steps_stack *stack, const void *const *frames, bool may_add,
                       uint32_t unloads_before) {
    stack->step = 0;
    stack->is_new = false;
    stack->by_pointer = 0;
    for (size_t i = stack->count; i > 0 && (i == stack->count || stack->step); i--) {
        step_on(stack, frames[i - 1], may_add, unloads_before);
        stack->by_pointer += i < stack->count && walk_is_by_pointer(frames[i - 1]);
    }
}

void steps_find(struct steps_stack *stack, const void *const *frames, bool may_add, uint32_t unloads_before) {
    if (!last_take()) {
        find_alone(stack, frames, may_add, unloads_before);
        return;
    }
    size_t same = same_as_last(frames, stack->count, unloads_before);
    stack->step = same ? last.steps[same - 1] : 0;
    stack->is_new = false;
    last.beyond = 0;
    size_t kept = find_and_note(stack, frames, same, may_add, unloads_before);
    stack->by_pointer = kept ? last.by_pointer[kept - 1] : 0;
    last_give(kept, last.beyond ? 0 : same, unloads_before);
}

/* More are walked in the way that needs no numbers. */
#define FRAMES_FEW 64

static void mark_last(const struct walk_marked *marked, size_t count) {
    for (size_t i = 0; i < count && i < last.count; i++) {
        size_t at = last.count - 1 - i;
        if (last.frames[at].pc != marked[i].pc)
            break;
        last.frames[at] = marked[i];
    }
}

/* Where a function ends in a jump to another one, as compilers make of calls, what is beyond cannot be told
 * by the number of that other one. Of stacks with such frames few are tried. */
#define FAILURES_FEW 8
#define FAILURES_TRY 32
static uint32_t failures;

static bool is_hopeless(void) {
    uint32_t so_far = __atomic_load_n(&failures, __ATOMIC_RELAXED);
    return so_far > FAILURES_FEW && so_far % FAILURES_TRY;
}

static void note_failure(bool has_failed) {
    uint32_t so_far = __atomic_load_n(&failures, __ATOMIC_RELAXED);
    if (has_failed || so_far)
        __atomic_store_n(&failures, has_failed ? so_far + 1 : 0, __ATOMIC_RELAXED);
}

void steps_know(profile_name step, const void *frame, uint64_t context) {
    struct walk_marked marked[FRAMES_FEW];
    size_t same;
    if (is_hopeless())
        return;
    size_t count = walk_marked(frame, context, NULL, 0, marked, FRAMES_FEW, &same);
    if (!last_take())
        return;
    if (last.count && last.steps[last.count - 1] == step)
        mark_last(marked, count);
    __atomic_store_n(&last.is_taken, false, __ATOMIC_RELEASE);
}

static bool extend_last(struct steps_stack *stack, const struct walk_marked *frames, size_t count,
                        size_t same, bool may_add, uint32_t unloads_before) {
    size_t at = same;
    stack->step = last.steps[same - 1];
    stack->is_new = false;
    while (count && stack->step) {
        const struct walk_marked *frame = &frames[--count];
        step_on(stack, (const void *)frame->pc, may_add, unloads_before);
        at = last_set(at, frame, stack->step);
    }
    stack->count = last.beyond + at;
    stack->by_pointer = last.by_pointer[at - 1];
    return !count && stack->step;
}

static bool find_known(struct steps_stack *stack, const void *frame, uint64_t context, bool may_add,
                       uint32_t unloads_before) {
    struct walk_marked frames[FRAMES_FEW];
    size_t same;
    if (!last_take())
        return false;
    size_t known = last.unloads_before == unloads_before ? last.count : 0, beyond = last.beyond;
    size_t count = walk_marked(frame, context, last.frames, known, frames, FRAMES_FEW, &same);
    bool is_known = same && extend_last(stack, frames, count, same, may_add, unloads_before);
    same -= last.beyond - beyond; /* those that were forgotten are among them */
    if (is_known)
        last_give(stack->count - last.beyond, same, unloads_before);
    else
        last_give(same ? same : known, same ? same : known, unloads_before);
    return is_known;
}

bool steps_find_known(struct steps_stack *stack, const void *frame, uint64_t context, bool may_add,
                      uint32_t unloads_before) {
    bool is_known = !is_hopeless() && find_known(stack, frame, context, may_add, unloads_before);
    note_failure(!is_known);
    return is_known;
}
