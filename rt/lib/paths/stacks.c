/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of slots by stack. */
#include "lib/paths/stacks.h"

#include "base/hash.h"
#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/count/change.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "lib/paths/contexts.h"
#include "lib/paths/cut.h"
#include "lib/paths/outside.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"

#include <errno.h>

uint32_t stacks_depth;
static bool is_checked;
static bool has_contexts;  /* a context has been kept */
static bool has_noted_why; /* in this process or before it was forked */

/* A cache of the parts of stacks. A word has the part's slot, and above it bits of the hash. A word is read
 * at once, so no lock is needed. */
#define CACHE_BITS 18
static uint64_t *cache;

/* Random keys of the hash, one for each frame. */
#define HASH_FIRST 0xA0761D6478BD642Fu
#define HASH_KEYS  64
static uint64_t hash_keys[HASH_KEYS];

/* Longer stacks are rare, and are walked into separate memory. */
#define FRAMES_FEW 256

struct walked {
    const void **frames;
    size_t count;
    enum walk_end end;
    const void *few[FRAMES_FEW];
};

void stacks_begin(uint32_t depth, bool checks) {
    is_checked = checks;
    cache = depth && contexts_begin() && again_begin() ? os_map(sizeof *cache << CACHE_BITS, OS_FORK_KEEPS)
                                                       : NULL;
    if (!cache)
        return;
    for (uint32_t i = 0; i < HASH_KEYS; i++)
        hash_keys[i] = hash_more(i ? hash_keys[i - 1] : HASH_FIRST, i);
    stacks_depth = depth;
    records_keep_stacks();
}

struct profile_walks stacks_walks(void) {
    struct profile_walks walks = store_header()->walks;
    walks.depth = stacks_depth;
    return walks;
}

static void note_walk(size_t count, size_t by_pointer, enum walk_end end) {
    struct profile_walks *walks = &store_header()->walks;
    walks->depth = stacks_depth;
    bump_shared(&walks->by_frame_pointer, by_pointer);
    bump_shared(&walks->by_table, count - by_pointer);
    bump_shared(&walks->ended_early, end == WALK_LOST);
}

/* Sums of products of two frames each (NH of UMAC, RFC 4418), which do not wait for one another. */
static inline unsigned __int128 hash_some(const void *const *frames, size_t count) {
    unsigned __int128 sum = 0;
    size_t i = 0;
    for (; i + 1 < count; i += 2)
        sum += (unsigned __int128)((uintptr_t)frames[i] + hash_keys[i]) *
               ((uintptr_t)frames[i + 1] + hash_keys[i + 1]);
    if (i < count)
        sum += (unsigned __int128)((uintptr_t)frames[i] + hash_keys[i]) * hash_keys[i + 1];
    return sum;
}

static inline uint64_t hash_of(uint32_t slot, uint32_t unloads_before, const struct walked *walked) {
    uint64_t hash = hash_more((uint64_t)unloads_before << 32 | slot, walked->count);
    size_t from = 0, most;
    do {
        most = walked->count - from < HASH_KEYS ? walked->count - from : HASH_KEYS;
        unsigned __int128 sum = hash_some(walked->frames + from, most);
        hash = hash_more(hash + (uint64_t)sum, (uint64_t)(sum >> 64));
    } while (UNLIKELY((from += most) < walked->count));
    return hash;
}

#define SLOT_MASK ((UINT64_C(1) << SLOT_BITS) - 1)

/* A walked stack, and the word of the cache that has its part. */
struct look {
    struct walked walked;
    uint32_t unloads_before;
    uint64_t *word, tag;
};

static COLD void walk_far(struct walked *walked, const void *frame) {
    const void **frames = os_map(stacks_depth * sizeof *frames, OS_FORK_KEEPS);
    if (!frames)
        return;
    walked->frames = frames;
    walked->count = walk_stack_from(frame, frames, stacks_depth, &walked->end);
}

static inline void walk(struct walked *walked, const void *frame) {
    size_t most = stacks_depth < FRAMES_FEW ? stacks_depth : FRAMES_FEW;
    walked->frames = walked->few;
    walked->count = walk_stack_from(frame, walked->few, most, &walked->end);
    if (UNLIKELY(walked->end == WALK_FULL && most < stacks_depth))
        walk_far(walked, frame);
}

static inline void look_end(struct look *look) {
    if (UNLIKELY(look->walked.frames != look->walked.few))
        os_unmap(look->walked.frames, stacks_depth * sizeof *look->walked.frames);
}

/* The caller must call look_end. */
static inline void look_begin(struct look *look, const void *frame) {
    walk(&look->walked, frame);
    look->unloads_before = unloads_begun();
}

static inline void look_up(struct look *look, uint32_t slot) {
    uint64_t hash = hash_of(slot, look->unloads_before, &look->walked);
    look->word = &cache[hash & ((1u << CACHE_BITS) - 1)];
    look->tag = hash & ~SLOT_MASK;
}

/* Returns 0 if the stack is not in the cache. */
static inline uint32_t part_cached(const struct look *look) {
    uint64_t entry = __atomic_load_n(look->word, __ATOMIC_RELAXED);
    return (entry & ~SLOT_MASK) == look->tag ? (uint32_t)(entry & SLOT_MASK) : 0;
}

/* ---- The part of a stack. */

/* Programs that descend into trees have millions of paths that differ only in the turns of the recursion. All
 * paths are kept until the room for variants is used up. A slot then gets VARIANTS_MOST more whole paths with
 * the same cut path; further ones are cut. The counters are indexed by a hash: paths that
 * share a counter are cut a little earlier. */
enum { VARIANTS_MOST = 64, VARIANTS_BITS = 14 };
static uint16_t variants[1u << VARIANTS_BITS];

static inline uint64_t hash_cut(uint32_t slot, uint32_t cut, int callers) {
    return hash_more((uint64_t)cut << 32 | slot, (uint64_t)callers);
}

static uint32_t part_whole(uint32_t slot, struct steps_stack *stack, enum walk_end end, bool *is_new) {
    profile_name step = steps_whole(stack, true, is_new);
    uint32_t part = step ? part_stack(slot, step, true, is_new) : NO_SLOT;
    if (part != NO_SLOT && *is_new)
        note_walk(stack->count, stack->by_pointer, end);
    return part;
}

static uint32_t part_cut(uint32_t slot, uint32_t cut, int callers) {
    bool is_new = false;
    profile_name path = cut_path(cut, callers < 0 ? 0 : (uint32_t)callers);
    return path ? part_stack(slot, path, callers >= 0, &is_new) : NO_SLOT;
}

/* Returns the part when there is no room for all paths; NO_SLOT if there is none even for cut paths. */
static uint32_t part_limited(uint32_t slot, struct steps_stack *stack, enum walk_end end, bool *is_whole) {
    int callers = __atomic_load_n(&part_cut_callers, __ATOMIC_RELAXED);
    uint32_t cut = steps_cut(stack);
    uint64_t hash = hash_cut(slot, cut, callers), tag = hash & ~SLOT_MASK;
    uint64_t *word = &cache[hash & ((1u << CACHE_BITS) - 1)], entry = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (LIKELY((entry & ~SLOT_MASK) == tag && entry))
        return (uint32_t)(entry & SLOT_MASK);
    if (!cut)
        return NO_SLOT;
    uint16_t *count = &variants[hash_cut(slot, cut, 0) >> (64 - VARIANTS_BITS)];
    bool is_variant = __atomic_load_n(count, __ATOMIC_RELAXED) >= VARIANTS_MOST, is_new = false;
    uint32_t part = part_stack_has_room(is_variant) ? part_whole(slot, stack, end, &is_new) : NO_SLOT;
    *is_whole = part != NO_SLOT;
    if (*is_whole && is_new && !is_variant)
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    if (!*is_whole && (part = part_cut(slot, cut, callers)) != NO_SLOT)
        __atomic_store_n(word, tag | part, __ATOMIC_RELAXED);
    return part;
}

/* Returns the part of a stack, whole or cut. If there is no room for either, returns the slot itself and
 * counts that. is_whole: set. Keeps errno. */
static uint32_t part_of(uint32_t slot, struct steps_stack *stack, enum walk_end end, bool *is_whole) {
    bool is_new;
    int error = errno;
    uint32_t part = part_stack_has_room(true) ? part_whole(slot, stack, end, &is_new) : NO_SLOT;
    *is_whole = part != NO_SLOT;
    if (!*is_whole)
        part = part_limited(slot, stack, end, is_whole);
    if (part == NO_SLOT)
        bump_shared(&store_header()->walks.without_stack, 1);
    errno = error;
    return part == NO_SLOT ? slot : part;
}

static uint32_t find_part(uint32_t slot, const struct look *look) {
    struct steps_stack stack = {.unloads_before = look->unloads_before};
    bool is_whole;
    int error = errno;
    steps_find(&stack, look->walked.frames, look->walked.count);
    uint32_t part = part_of(slot, &stack, look->walked.end, &is_whole);
    steps_end(&stack);
    errno = error;
    return part;
}

static uint32_t part_walked(uint32_t slot, struct look *look) {
    look_up(look, slot);
    uint32_t part = part_cached(look);
    if (part)
        return part;
    part = find_part(slot, look);
    if (part != slot && unloads_none_since(look->unloads_before))
        __atomic_store_n(look->word, look->tag | part, __ATOMIC_RELAXED);
    return part;
}

STACK_CALL(uint32_t, stack_slot_walked, uint32_t slot) {
    const void *frame = __builtin_frame_address(0);
    const struct record *record = record_stack(slot).parent ? NULL : record_at(slot);
    if (!record || !record->keeps_stacks)
        return slot;
    struct look look;
    look_begin(&look, frame);
    uint32_t part = part_walked(slot, &look);
    look_end(&look);
    return part;
}

/* ---- Modules without contexts, as a chain of names. */

static bool has_module(profile_name chain, profile_name path) {
    const struct profile_frame *frame = names_frame_at(chain);
    while (frame && frame->function != path)
        frame = names_frame_at(frame->caller);
    return frame;
}

static COLD void note_module(profile_name *chain, const void *frame) {
    const struct module *module = module_address(frame).module;
    struct profile_frame link = {.function = module ? names_text(module->path) : 0,
                                 .caller = __atomic_load_n(chain, __ATOMIC_ACQUIRE)};
    profile_name fresh = 0;
    do
        fresh = link.function && !has_module(link.caller, link.function) ? names_frame(&link) : 0;
    while (fresh && !__atomic_compare_exchange_n(chain, &link.caller, fresh, false, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_ACQUIRE));
}

/* Notes the module of the first frame that keeps no context: because of it this stack is compared or walked
 * at each allocation. Frames noted lately are skipped. */
static void note_why(const struct walked *walked) {
    static const void *noted[64];
    profile_name *chain = &store_header()->walked_for;
    size_t i = 0;
    while (i < walked->count && walk_keeps_context(walked->frames[i]))
        i++;
    const void *frame = i < walked->count ? walked->frames[i] : NULL;
    const void **place = &noted[(uintptr_t)frame % 61];
    if (!frame || (__atomic_load_n(place, __ATOMIC_RELAXED) == frame && *chain))
        return;
    int error = errno;
    has_noted_why = true;
    note_module(chain, frame);
    errno = error;
    __atomic_store_n(place, frame, __ATOMIC_RELAXED);
}

/* ---- Finding the part of a stack by its calling context. */

/* The most frames that start a program, or a thread with a function of a library; the most on another stack,
 * such as a coroutine's. */
#define ROOT_MOST       3
#define ROOT_MOST_OTHER 1

static bool is_root(const void *const *frames, size_t count, const void *innermost) {
    bool is_own = local.stack.high - (uintptr_t)innermost < local.stack.high - local.stack.low;
    for (size_t i = 0; i < count; i++)
        if (walk_is_signal(frames[i]))
            return false;
    return count <= (is_own ? ROOT_MOST : ROOT_MOST_OTHER);
}

/* Returns whether the number is made of exactly these return addresses. If so, taking one address after the
 * other out of it leaves the number that a thread's first function finds (paths/contexts.h). */
static bool context_is_certain(const struct walked *walked, const void *innermost) {
    const void *const *frames = walked->frames;
    size_t marked = 0,
           count = stacks_depth == STACKS_WHOLE && walked->end == WALK_OUTERMOST ? walked->count : 0;
    uint64_t number = context;
    while (marked + 1 < count && walk_keeps_context(frames[marked]))
        number = context_callers(number, (uintptr_t)frames[++marked]);
    return marked && number == ALLOCSITE_CONTEXT_FIRST && !walk_keeps_context(frames[marked]) &&
           is_root(frames + marked, count - marked, innermost);
}

static bool are_same_steps(profile_name a, profile_name b) {
    while (a != b) {
        const struct profile_step *left = names_step_at(a), *right = names_step_at(b);
        if (!left || !right ||
            memcmp(names_return_at(left->to), names_return_at(right->to), sizeof(struct profile_return)) != 0)
            return false;
        a = left->caller;
        b = right->caller;
    }
    return true;
}

static bool is_stack_of(uint32_t part, const struct look *look) {
    struct steps_stack stack = {.unloads_before = look->unloads_before};
    profile_name kept = record_stack(part).stack;
    bool is_new;
    steps_find(&stack, look->walked.frames, look->walked.count);
    bool is_it = are_same_steps(kept, steps_whole(&stack, false, &is_new));
    for (uint32_t callers = 0; !is_it && callers <= PART_CUT_CALLERS; callers++)
        is_it = are_same_steps(kept, cut_path(steps_cut(&stack), callers));
    steps_end(&stack);
    return is_it;
}

/* Returns the part of the stack that a walk finds; the slot if there is no room for it. */
STACK_CALL(uint32_t, stack_check_context, uint32_t part, uint32_t slot, const void *frame) {
    struct look look;
    look_begin(&look, frame);
    if (!is_stack_of(part, &look)) {
        part = part_walked(slot, &look);
        gap_set(GAP_CONTEXTS);
        bump_shared(&store_header()->wrong_contexts, 1);
    }
    look_end(&look);
    return part;
}

/* Counts later allocations with this hash under the key. */
static void keep_context(uint64_t hash, uint32_t key) {
    contexts_hot = !is_checked && !sizes_wanted && !births_wanted && !runtime_temporary;
    context_keep(hash, key);
    has_contexts = true;
}

/* Like keep_context, for a number that other stacks may have, too. The words of the stacks are then compared
 * first. */
static void keep_again(uint64_t hash, const void *frame, uint32_t key, uint32_t unloads_before) {
    uint32_t again = again_keep(context_find(hash), frame, SIZE_MAX, key);
    if (again != ALLOCSITE_KEY_NONE && unloads_none_since(unloads_before))
        keep_context(hash, again);
}

/* Returns ALLOCSITE_KEY_NONE, so that the stack is walked, in a forked child that has not yet noted the
 * modules without contexts. */
uint32_t stack_key_compared(uint32_t again, const void *frame) {
    bool is_as_kept = !has_noted_why || store_header()->walked_for;
    return is_as_kept ? again_find(again, frame) : ALLOCSITE_KEY_NONE;
}

/* Returns the key for a caller that keeps no context. */
static __attribute__((noinline)) uint32_t key_uncertain(uint32_t slot, uint64_t hash, const void *frame) {
    struct look look;
    look_begin(&look, frame);
    look_up(&look, slot);
    uint32_t part = part_cached(&look);
    if (UNLIKELY(!part || !store_header()->walked_for)) {
        part = part_walked(slot, &look);
        if (look.walked.end != WALK_LOST && record_at(slot)->site)
            note_why(&look.walked);
    }
    if (part != slot)
        keep_again(hash, frame, KEY(part), look.unloads_before);
    look_end(&look);
    return KEY(part);
}

/* Returns whether a context has come before. The contexts of cut paths are kept only at their second call: a
 * program that descends into a tree has millions that come once. The answer may be wrong either way; then a
 * context is kept needlessly, or later. */
static bool comes_again(uint64_t hash) {
    static uint16_t once[1 << 16];
    uint16_t *place = &once[hash >> 48], tag = (uint16_t)hash;
    bool is_there = __atomic_load_n(place, __ATOMIC_RELAXED) == tag;
    __atomic_store_n(place, tag, __ATOMIC_RELAXED);
    return is_there;
}

/* Returns the key for a stack whose number is certain (paths/contexts.h). */
static uint32_t key_certain(uint32_t slot, struct steps_stack *stack, uint64_t hash) {
    bool is_whole;
    uint32_t part = part_of(slot, stack, WALK_OUTERMOST, &is_whole);
    if (part != slot && (is_whole || comes_again(hash)) && unloads_none_since(stack->unloads_before))
        keep_context(hash, KEY(part));
    return KEY(part);
}

static uint32_t key_of_certain(uint32_t slot, const struct look *look, const void *frame, uint64_t hash) {
    struct steps_stack stack = {.unloads_before = look->unloads_before};
    steps_find(&stack, look->walked.frames, look->walked.count);
    uint32_t key = key_certain(slot, &stack, hash);
    steps_know(&stack, frame, context);
    steps_end(&stack);
    return key;
}

static uint32_t key_of_other(uint32_t slot, struct look *look, const void *frame, uint64_t hash) {
    uint32_t part = part_walked(slot, look);
    if (stacks_depth == STACKS_WHOLE && look->walked.end != WALK_LOST && record_at(slot)->site)
        note_why(&look->walked);
    if (stacks_depth == STACKS_WHOLE && part != slot)
        keep_again(hash, frame, KEY(part), look->unloads_before);
    return KEY(part);
}

/* Returns the key for a stack that has nothing in common with the thread's last one. */
static __attribute__((noinline)) uint32_t key_walked(uint32_t slot, const void *frame, uint64_t hash) {
    struct look look;
    look_begin(&look, frame);
    uint32_t key = context_is_certain(&look.walked, frame) ? key_of_certain(slot, &look, frame, hash)
                                                           : key_of_other(slot, &look, frame, hash);
    look_end(&look);
    return key;
}

/* If the last stack was certain, one that shares its outer frames is certain, too. */
STACK_CALL(uint32_t, stack_key_new, uint32_t key, const void *frame, uint64_t hash) {
    struct steps_stack stack = {.unloads_before = unloads_begun()};
    uint32_t slot = key_slot(key);
    int error = errno;
    if (LIKELY(stacks_depth == STACKS_WHOLE && steps_find_known(&stack, frame, context))) {
        key = key_certain(slot, &stack, hash);
        steps_end(&stack);
    } else {
        key = key_walked(slot, frame, hash);
    }
    errno = error;
    return key;
}

STACK_CALL(uint32_t, stack_key_unseen, uint32_t slot, const void *frame, uint64_t hash) {
    slot = outside_slot(slot);
    if (!record_at(slot)->keeps_stacks)
        return ALLOCSITE_KEY_NONE;
    bool is_foreign = stacks_depth == STACKS_WHOLE && walk_is_foreign(((const void *const *)frame)[1]);
    return is_foreign ? key_uncertain(slot, hash, frame) : stack_key_new_on_stack(KEY(slot), frame, hash);
}

uint32_t stack_key_checked(uint32_t key, uint64_t caller_id, const void *frame) {
    uint32_t slot = key_slot(key);
    if (UNLIKELY(!stacks_depth))
        return ALLOCSITE_KEY_NONE;
    uint64_t hash = context_hash(caller_id, frame);
    uint32_t known = stack_key_known(has_contexts ? context_find(hash) : ALLOCSITE_KEY_NONE, frame);
    if (UNLIKELY(known == ALLOCSITE_KEY_NONE))
        return stack_key_unseen(slot, frame, hash);
    uint32_t part = key_slot(known);
    if (UNLIKELY(is_checked))
        part = stack_check_context(part, outside_slot(slot), frame);
    if (UNLIKELY(part != key_slot(known)))
        known = KEY(part);
    return LIKELY(part != slot) ? known : ALLOCSITE_KEY_NONE;
}
