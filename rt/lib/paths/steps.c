/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/paths/stacks.h"

#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/count/tally.h"
#include "lib/paths/cut.h"
#include "lib/registry/modules.h"

static profile_name find_return(const void *address) {
    struct module_address at = module_address(address);
    struct profile_return to = {.module = !at.module || at.module->slot == NO_SLOT ? 0 : at.module->slot,
                                .address = {(uint32_t)at.address, (uint32_t)(at.address >> 32)}};
    return names_return(&to);
}

/* A cache of return addresses, because finding the module of one takes some hundred instructions. The first
 * word of an entry has a name and, below it, the number of unloads before. The second word has the address,
 * mixed with the first word. Halves of two different entries match only as often as hashes of 64 bits are
 * equal. */
#define RETURN_CACHE_BITS 11
#define RETURN_MIX        0x9E3779B97F4A7C15u
static struct known_return { uint64_t name, address; } return_cache[1u << RETURN_CACHE_BITS];

profile_name steps_return(const void *address, uint32_t unloads_before) {
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

/* ---- A thread's last stack, from the outermost frame on. The next one shares the paths and steps of all
 * frames that they have in common, so only new frames are looked at, however deep the recursion is. It takes
 * 40 bytes for each frame, in memory that is touched as stacks get deeper. Threads share LASTS of these. A
 * thread that finds its own in use does without. */
#define LASTS   8
#define NOWHERE 0 /* stack pointer of a frame that is not known by its number */
struct last {
    bool is_taken;
    uint32_t unloads_before;
    size_t count;
    struct walk_marked *frames; /* room for STACKS_WHOLE; NULL: not yet */
};
static struct last lasts[LASTS];

static void last_release(struct last *last) {
    __atomic_store_n(&last->is_taken, false, __ATOMIC_RELEASE);
}

static struct last *last_take(uint32_t unloads_before) {
    struct last *last = &lasts[local.thread ? local.thread->index % LASTS : 0];
    if (__atomic_exchange_n(&last->is_taken, true, __ATOMIC_ACQUIRE))
        return NULL;
    if (UNLIKELY(!last->frames &&
                 !(last->frames = os_map(STACKS_WHOLE * sizeof *last->frames, OS_FORK_KEEPS)))) {
        last_release(last);
        return NULL;
    }
    if (UNLIKELY(last->unloads_before != unloads_before))
        last->count = 0;
    last->unloads_before = unloads_before;
    return last;
}

static inline void last_set(struct last *last, size_t i, const struct walk_marked *frame) {
    struct walk_marked *set = &last->frames[i];
    *set = *frame;
    set->cut = set->step = 0;                                         /* not looked up yet */
    set->by_pointer = i ? set[-1].by_pointer + frame->by_pointer : 0; /* the outermost has no caller */
}

static size_t same_as_last(const struct last *last, const struct steps_stack *stack) {
    size_t most = stack->count < last->count ? stack->count : last->count, same = 0;
    while (same < most && last->frames[same].pc == (uintptr_t)stack->frames[stack->count - 1 - same])
        same++;
    return same;
}

void steps_find(struct steps_stack *stack, const void *const *frames, size_t count) {
    struct last *last = stack->last = last_take(stack->unloads_before);
    stack->frames = frames;
    stack->count = count;
    for (size_t i = last ? same_as_last(last, stack) : count; i < count; i++) {
        const void *frame = frames[count - 1 - i];
        struct walk_marked unmarked = {
            .pc = (uintptr_t)frame, .sp = NOWHERE, .by_pointer = walk_is_by_pointer(frame)};
        last_set(last, i, &unmarked);
    }
    if (last)
        last->count = count;
}

/* New frames are written at the end of the memory, from where they are copied in order. */
static struct walk_marked *last_end(const struct last *last) {
    return last->frames + STACKS_WHOLE;
}

void steps_know(const struct steps_stack *stack, const void *frame, uint64_t context) {
    const struct last *last = stack->last;
    size_t same, count = last ? last->count : 0;
    struct walk_marked *at = last ? last->frames + count : NULL, *marked = last ? last_end(last) : NULL;
    size_t left =
        last ? walk_marked(frame, context, last->frames, count, marked, STACKS_WHOLE - count, &same) : 0;
    for (; left && at != last->frames && (--at)->pc == (--marked)->pc; left--) {
        at->sp = marked->sp;
        at->context = marked->context;
    }
}

bool steps_find_known(struct steps_stack *stack, const void *frame, uint64_t context) {
    struct last *last = stack->last = last_take(stack->unloads_before);
    if (!last)
        return false;
    size_t same, known = last->count;
    size_t count =
        walk_marked(frame, context, last->frames, known, last_end(last), STACKS_WHOLE - known, &same);
    if (!same) {
        steps_end(stack);
        return false;
    }
    const struct walk_marked *fresh = last_end(last) - count;
    for (size_t i = 0; i < count; i++)
        last_set(last, same + i, &fresh[i]);
    stack->frames = NULL;
    stack->count = last->count = same + count;
    return true;
}

void steps_end(struct steps_stack *stack) {
    if (LIKELY(stack->last != NULL)) {
        if (UNLIKELY(!unloads_none_since(stack->unloads_before)))
            stack->last->count = 0;
        last_release(stack->last);
    }
    stack->last = NULL;
}

/* ---- The cut path. */

static uint32_t cut_alone(const struct steps_stack *stack) {
    uint32_t cut = 0;
    for (size_t i = stack->count; i > 0 && (cut || i == stack->count); i--)
        cut = cut_on(cut, stack->frames[i - 1], stack->unloads_before);
    return cut;
}

static uint32_t cut_in_last(const struct steps_stack *stack) {
    struct walk_marked *frames = stack->last->frames;
    size_t i = stack->count;
    while (i > 0 && !frames[i - 1].cut)
        i--;
    uint32_t cut = i ? frames[i - 1].cut : 0;
    for (; i < stack->count && (cut || !i); i++)
        frames[i].cut = cut = cut_on(cut, (const void *)frames[i].pc, stack->unloads_before);
    return cut;
}

uint32_t steps_cut(const struct steps_stack *stack) {
    return stack->last ? cut_in_last(stack) : cut_alone(stack);
}

/* ---- The steps of a whole path. */

struct whole {
    profile_name step;
    bool may_add, is_new;
    uint32_t unloads_before;
};

/* Continues to the step of the callee at this address; to 0 if there is no room for more, or none may be
 * added. */
static void step_on(struct whole *whole, const void *address) {
    struct profile_step step = {whole->step, steps_return(address, whole->unloads_before)};
    whole->is_new = whole->is_new && !threads_several;
    whole->step = step.to ? names_step(&step, whole->may_add && names_have_step(), &whole->is_new) : 0;
}

static void whole_alone(struct whole *whole, struct steps_stack *stack) {
    stack->by_pointer = 0;
    for (size_t i = stack->count; i > 0 && (whole->step || i == stack->count); i--) {
        step_on(whole, stack->frames[i - 1]);
        stack->by_pointer += i < stack->count && walk_is_by_pointer(stack->frames[i - 1]);
    }
}

static void whole_in_last(struct whole *whole, struct steps_stack *stack) {
    struct walk_marked *frames = stack->last->frames;
    size_t i = stack->count;
    while (i > 0 && !frames[i - 1].step)
        i--;
    whole->step = i ? frames[i - 1].step : 0;
    for (; i < stack->count && (whole->step || !i); i++) {
        step_on(whole, (const void *)frames[i].pc);
        frames[i].step = whole->step;
    }
    stack->by_pointer = stack->count ? frames[stack->count - 1].by_pointer : 0;
}

#define INTERRUPTED_MOST 128

STACK_CALL(profile_name, stack_interrupted, void) {
    const void *frames[INTERRUPTED_MOST];
    enum walk_end end;
    struct steps_stack stack = {.unloads_before = unloads_begun()};
    bool is_new;
    size_t count = walk_stack(frames, INTERRUPTED_MOST, &end), first = 0;
    while (first < count && !walk_is_signal(frames[first]))
        first++;
    stack.count = first < count ? count - first - 1 : 0;
    stack.frames = frames + first + 1;
    return stack.count ? steps_whole(&stack, true, &is_new) : 0;
}

profile_name steps_whole(struct steps_stack *stack, bool may_add, bool *is_new) {
    struct whole whole = {.may_add = may_add, .unloads_before = stack->unloads_before};
    stack->last ? whole_in_last(&whole, stack) : whole_alone(&whole, stack);
    *is_new = whole.is_new;
    return whole.step;
}
