/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/bill/stacks.h"

#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/count/tally.h"
#include "lib/who/modules.h"

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
static void step_on(struct steps_stack *stack, const void *address) {
    struct profile_step step = {stack->step, return_seen(address, stack->unloads_before)};
    stack->is_new = stack->is_new && !threads_several;
    stack->step = step.to ? names_step(&step, stack->may_add, &stack->is_new) : 0;
}

/* A thread's last stack of which the steps were looked for, from the outermost frame on: what the next has in
 * common with it has the same ones. So of deep recursion only what is new is looked at, at whatever depth
 * that is: 32 bytes for each frame, in memory that is touched as stacks get deeper. Of frames that are not
 * known by their numbers the stack pointer is NOWHERE. Of many threads some share one; whoever finds it taken
 * does without. */
#define LASTS   8
#define NOWHERE 0
static struct last {
    bool is_taken;
    uint32_t unloads_before;
    size_t count;
    struct walk_marked *frames; /* room for STACKS_WHOLE; NULL: not yet */
} lasts[LASTS];

static void last_release(struct last *last) {
    __atomic_store_n(&last->is_taken, false, __ATOMIC_RELEASE);
}

static struct last *last_take(void) {
    struct last *last = &lasts[local.own ? local.own->index % LASTS : 0];
    if (__atomic_exchange_n(&last->is_taken, true, __ATOMIC_ACQUIRE))
        return NULL;
    if (LIKELY(last->frames || (last->frames = os_map(STACKS_WHOLE * sizeof *last->frames, OS_FORK_KEEPS))))
        return last;
    last_release(last);
    return NULL;
}

/* same: the frames that were not changed, nor have been unloaded. */
static void last_give(struct last *last, size_t count, size_t same, uint32_t unloads_before) {
    last->count = unloads_none_since(unloads_before) ? count : same;
    last->unloads_before = unloads_before;
    last_release(last);
}

static void last_set(struct last *last, size_t i, const struct walk_marked *frame, profile_name step) {
    struct walk_marked *set = &last->frames[i];
    *set = *frame;
    set->step = step;
    set->by_pointer = i ? set[-1].by_pointer + frame->by_pointer : 0; /* nobody called the outermost */
}

static size_t same_as_last(const struct last *last, const struct steps_stack *stack,
                           const void *const *frames) {
    size_t most = stack->count < last->count ? stack->count : last->count, same = 0;
    if (last->unloads_before != stack->unloads_before)
        return 0;
    while (same < most && last->frames[same].step &&
           last->frames[same].pc == (uintptr_t)frames[stack->count - 1 - same])
        same++;
    return same;
}

/* Finds the steps of the frames from the i-th on, outermost first, and notes them. Returns how many have
 * one. */
static size_t find_and_note(struct last *last, struct steps_stack *stack, const void *const *frames,
                            size_t i) {
    for (; i < stack->count; i++) {
        const void *frame = frames[stack->count - 1 - i];
        step_on(stack, frame);
        if (!stack->step)
            break;
        struct walk_marked unmarked = {
            .pc = (uintptr_t)frame, .sp = NOWHERE, .by_pointer = walk_is_by_pointer(frame)};
        last_set(last, i, &unmarked, stack->step);
    }
    return i;
}

static void find_alone(struct steps_stack *stack, const void *const *frames) {
    stack->step = 0;
    stack->by_pointer = 0;
    for (size_t i = stack->count; i > 0 && (i == stack->count || stack->step); i--) {
        step_on(stack, frames[i - 1]);
        stack->by_pointer += i < stack->count && walk_is_by_pointer(frames[i - 1]);
    }
}

void steps_find(struct steps_stack *stack, const void *const *frames) {
    struct last *last = last_take();
    stack->is_new = false;
    if (!last) {
        find_alone(stack, frames);
        return;
    }
    size_t same = same_as_last(last, stack, frames);
    stack->step = same ? last->frames[same - 1].step : 0;
    size_t found = find_and_note(last, stack, frames, same);
    stack->by_pointer = found ? last->frames[found - 1].by_pointer : 0;
    last_give(last, found, same, stack->unloads_before);
}

/* Those that are new are walked to the end of the memory, where they stand as they are to be. */
static struct walk_marked *last_end(const struct last *last) {
    return last->frames + STACKS_WHOLE;
}

void steps_know(profile_name step, const void *frame, uint64_t context) {
    struct last *last = last_take();
    size_t same, count = last ? last->count : 0;
    if (count && last->frames[count - 1].step == step) {
        struct walk_marked *at = last->frames + count, *marked = last_end(last);
        size_t left = walk_marked(frame, context, last->frames, count, marked, STACKS_WHOLE - count, &same);
        for (; left && (--at)->pc == (--marked)->pc; left--) {
            at->sp = marked->sp;
            at->context = marked->context;
        }
    }
    if (last)
        last_release(last);
}

/* count: of those that are new. Where there is no room for the step of one it is noted all the same, so that
 * the next stack is no farther from what is known. */
static void extend_last(struct last *last, struct steps_stack *stack, size_t count, size_t same) {
    const struct walk_marked *frame = last_end(last) - count;
    stack->step = last->frames[same - 1].step;
    stack->is_new = false;
    for (stack->count = same; stack->count < same + count; stack->count++, frame++) {
        if (LIKELY(stack->step))
            step_on(stack, (const void *)frame->pc);
        last_set(last, stack->count, frame, stack->step);
    }
    stack->by_pointer = last->frames[stack->count - 1].by_pointer;
}

static bool find_known(struct last *last, struct steps_stack *stack, const void *frame, uint64_t context) {
    size_t same, known = last->unloads_before == stack->unloads_before ? last->count : 0;
    size_t count =
        walk_marked(frame, context, last->frames, known, last_end(last), STACKS_WHOLE - known, &same);
    stack->count = known;
    if (same)
        extend_last(last, stack, count, same);
    last_give(last, stack->count, same ? same : known, stack->unloads_before);
    return same;
}

bool steps_find_known(struct steps_stack *stack, const void *frame, uint64_t context) {
    struct last *last = last_take();
    return last && find_known(last, stack, frame, context);
}
