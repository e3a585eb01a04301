/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/paths/stacks.h"

#include "lib/base/cache.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/paths/cut.h"
#include "lib/registry/modules.h"
#include "lib/walk/marked.h"

static profile_name find_return(const void *address) {
    struct module_address at = module_address(address);
    struct profile_return to = {.module = !at.module || at.module->slot == NO_SLOT ? 0 : at.module->slot,
                                .address = {(uint32_t)at.address, (uint32_t)(at.address >> 32)}};
    return names_return(&to);
}

/* Finding the module of an address takes some hundred instructions. */
enum { RETURNS_BITS = 11 };
static struct cache_entry returns[1u << RETURNS_BITS];

profile_name steps_return(const void *address, uint32_t unloads_before) {
    struct cache_key key = {(uintptr_t)address, unloads_before};
    struct cache_entry *entry = cache_at(returns, RETURNS_BITS, key);
    profile_name found = cache_get(entry, key);
    if (LIKELY(found))
        return found;
    found = find_return(address);
    if (found && unloads_none_since(unloads_before))
        cache_put(entry, key, found);
    return found;
}

/* ---- From the outermost frame inwards. */

/* Returns the path of the callee at this address; 0 if there is no room for more steps. */
static inline uint32_t step_on(struct steps *steps, uint32_t caller, uintptr_t address) {
    const void *at = (const void *)address;
    if (steps->is_cut)
        return cut_on(caller, at, steps->unloads_before);
    struct profile_step step = {caller, steps_return(at, steps->unloads_before)};
    steps->is_new = steps->is_new && !threads_several;
    return step.to ? names_step(&step, steps->may_add && names_have_step(), &steps->is_new) : 0;
}

uint32_t steps_find(struct steps *steps, const void *const *frames, size_t count) {
    uint32_t path = 0;
    steps->is_new = false;
    for (size_t i = count; i > 0 && (path || i == count); i--)
        path = step_on(steps, path, (uintptr_t)frames[i - 1]);
    return path;
}

/* ---- The paths of callers, for frames of certain stacks. A walk looks only at frames that are new since an
 * earlier stack, and at further frames until it finds one in the cache, however deep the recursion is. The
 * cache is small, so that it stays in the processor's. Every 64th frame and every 4,096th frame have separate
 * arrays, in which an entry survives 64 times as many steps. After a deep recursion has returned, the walk
 * ends at such a frame. */
enum { CALLERS_BITS = 11, CALLERS_LEVELS = 3, MARKED_FEW = 128 };
static struct cache_entry callers[CALLERS_LEVELS][1u << CALLERS_BITS];

static inline struct cache_key callers_key(const struct steps *steps, const struct marked_frame *frame) {
    return (struct cache_key){frame->activation, steps->unloads_before << 1 | steps->is_cut};
}

static inline struct cache_entry *callers_entry(struct cache_key key) {
    uint32_t chosen = (uint32_t)(cache_spread(key) >> 40),
             level = UNLIKELY(chosen % 64 == 0) + (chosen % 4096 == 0);
    return cache_at(callers[level], CALLERS_BITS, key);
}

/* Continues the path of the callers of these frames inwards, and keeps it for each of them. */
static inline uint32_t steps_on_marked(struct steps *steps, uint32_t path, const struct marked_frame *frames,
                                       size_t count) {
    for (size_t i = count; i > 0 && path; i--) {
        struct cache_key key = callers_key(steps, &frames[i - 1]);
        cache_put(callers_entry(key), key, path);
        path = step_on(steps, path, frames[i - 1].pc);
    }
    return path;
}

static struct marked_frame *far_map(void) {
    return os_map(STACKS_WHOLE * sizeof(struct marked_frame), OS_FORK_KEEPS);
}

static void far_unmap(struct marked_frame *frames) {
    os_unmap(frames, STACKS_WHOLE * sizeof *frames);
}

static inline __attribute__((always_inline)) uint32_t
known_in(struct steps *steps, const void *frame, uint64_t context, struct marked_frame *frames, size_t most) {
    struct marked_walk walk;
    size_t count = 0;
    uint32_t path = 0;
    marked_begin(&walk, frame, context);
    for (; !path && count < most && marked_next(&walk, count == 0, &frames[count]); count++) {
        struct cache_key key = callers_key(steps, &frames[count]);
        path = cache_get(callers_entry(key), key);
    }
    steps->is_full = !path && count == most;
    return path ? steps_on_marked(steps, step_on(steps, path, frames[count - 1].pc), frames, count - 1) : 0;
}

static COLD uint32_t known_far(struct steps *steps, const void *frame, uint64_t context) {
    struct marked_frame *frames = far_map();
    uint32_t path = frames ? known_in(steps, frame, context, frames, STACKS_WHOLE) : 0;
    if (frames)
        far_unmap(frames);
    return path;
}

uint32_t steps_find_known(struct steps *steps, const void *frame, uint64_t context) {
    struct marked_frame few[MARKED_FEW];
    steps->is_new = false;
    uint32_t path = known_in(steps, frame, context, few, MARKED_FEW);
    return UNLIKELY(steps->is_full) ? known_far(steps, frame, context) : path;
}

uint32_t steps_find_certain(struct steps *steps, const void *const *frames, size_t count, const void *frame,
                            uint64_t context) {
    struct marked_frame few[MARKED_FEW], *far = count > MARKED_FEW ? far_map() : NULL;
    struct marked_frame *marked = far ? far : few;
    size_t most = far || count < MARKED_FEW ? count : MARKED_FEW, known = 0;
    struct marked_walk walk;
    marked_begin(&walk, frame, context);
    while (known < most && marked_next(&walk, known == 0, &marked[known]) &&
           marked[known].pc == (uintptr_t)frames[known])
        known++;
    uint32_t path = steps_on_marked(steps, steps_find(steps, frames + known, count - known), marked, known);
    if (far)
        far_unmap(far);
    return path;
}

#define INTERRUPTED_MOST 128

STACK_CALL(profile_name, stack_interrupted, void) {
    const void *frames[INTERRUPTED_MOST];
    enum walk_end end;
    struct steps steps = {.may_add = true, .unloads_before = unloads_begun()};
    size_t count = walk_stack(frames, INTERRUPTED_MOST, &end), first = 0;
    while (first < count && !walk_is_signal(frames[first]))
        first++;
    return first < count ? steps_find(&steps, frames + first + 1, count - first - 1) : 0;
}
