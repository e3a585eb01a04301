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
 * with it has the same ones. Whoever finds it taken does without. */
#define LAST_FRAMES 256
static struct last {
    bool is_taken;
    uint32_t unloads_before;
    size_t count;
    const void *frames[LAST_FRAMES];
    profile_name steps[LAST_FRAMES];
} last;

static size_t same_as_last(const void *const *frames, size_t count, uint32_t unloads_before) {
    size_t most = count < last.count ? count : last.count, same = 0;
    if (last.unloads_before != unloads_before)
        return 0;
    while (same < most && last.frames[same] == frames[count - 1 - same])
        same++;
    return same;
}

profile_name steps_find(const void *const *frames, size_t count, bool may_add, uint32_t unloads_before) {
    bool is_mine = !__atomic_exchange_n(&last.is_taken, true, __ATOMIC_ACQUIRE);
    size_t i = is_mine ? same_as_last(frames, count, unloads_before) : 0, first = i;
    profile_name step = i ? last.steps[i - 1] : 0;
    for (; i < count; i++) {
        const void *frame = frames[count - 1 - i];
        step = step_seen(frame, step, may_add, unloads_before);
        if (!step)
            break;
        if (is_mine && i < LAST_FRAMES) {
            last.frames[i] = frame;
            last.steps[i] = step;
        }
    }
    if (is_mine) {
        last.count = i < LAST_FRAMES ? i : LAST_FRAMES;
        last.count = unloads_none_since(unloads_before) ? last.count : first;
        last.unloads_before = unloads_before;
        __atomic_store_n(&last.is_taken, false, __ATOMIC_RELEASE);
    }
    return step;
}
