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
#include "lib/walk/marked.h"
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

#define SLOT_MASK ((UINT64_C(1) << SLOT_BITS) - 1)

struct part_word {
    uint64_t *at, tag;
};

static inline struct part_word part_word(uint64_t hash) {
    return (struct part_word){&cache[hash & ((1u << CACHE_BITS) - 1)], hash & ~SLOT_MASK};
}

/* Returns 0 if the cache does not have it. */
static inline uint32_t part_word_get(struct part_word word) {
    uint64_t entry = __atomic_load_n(word.at, __ATOMIC_RELAXED);
    return (entry & ~SLOT_MASK) == word.tag ? (uint32_t)(entry & SLOT_MASK) : 0;
}

static inline void part_word_set(struct part_word word, uint32_t part) {
    __atomic_store_n(word.at, word.tag | part, __ATOMIC_RELAXED);
}

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
    cache = depth && contexts_begin() && stack_cache_begin()
                ? os_map(sizeof *cache << CACHE_BITS, OS_FORK_KEEPS)
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

static void note_walk(enum walk_end end) {
    struct profile_walks *walks = &store_header()->walks;
    walks->depth = stacks_depth;
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

/* A stack that is walked, or, if walked.frames is NULL, that shares outer frames with an earlier certain one.
 */
struct look {
    struct walked walked;
    uint32_t unloads_before;
    const void *certain; /* the innermost frame, if the stack is certain (paths/contexts.h) or not walked */
};

static COLD void walk_far(struct walked *walked, const void *frame) {
    const void **frames = os_map(stacks_depth * sizeof *frames, OS_FORK_KEEPS);
    if (!frames)
        return;
    walked->frames = frames;
    walked->count = walk_stack_from(frame, frames, stacks_depth, &walked->end);
}

static inline void stack_walk(struct walked *walked, const void *frame) {
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
    stack_walk(&look->walked, frame);
    look->unloads_before = unloads_begun();
    look->certain = NULL;
}

static inline void look_known(struct look *look, const void *frame, uint32_t unloads_before) {
    look->walked.frames = NULL;
    look->walked.end = WALK_OUTERMOST;
    look->unloads_before = unloads_before;
    look->certain = frame;
}

/* ---- The part of a stack. The functions return 0 for a stack that is not walked and must be. */

static uint32_t look_path(const struct look *look, struct steps *steps) {
    const struct walked *walked = &look->walked;
    steps->unloads_before = look->unloads_before;
    if (!walked->frames)
        return steps_find_known(steps, look->certain, context);
    return look->certain ? steps_find_certain(steps, walked->frames, walked->count, look->certain, context)
                         : steps_find(steps, walked->frames, walked->count);
}

/* The result for a stack without a path: there is no room for one, or the stack must be walked. */
static inline uint32_t part_of_none(const struct look *look) {
    return look->walked.frames ? NO_SLOT : 0;
}

/* Returns the part with the whole path; NO_SLOT if there is no room. is_new: set. */
static uint32_t part_whole(uint32_t slot, const struct look *look, bool *is_new) {
    struct steps steps = {.may_add = true};
    uint32_t path = look_path(look, &steps),
             part = path ? part_stack(slot, path, true, &steps.is_new) : part_of_none(look);
    *is_new = path && part != NO_SLOT && steps.is_new;
    if (*is_new)
        note_walk(look->walked.end);
    return part;
}

/* Programs that descend into trees have millions of paths that differ only in the turns of the recursion. All
 * paths are kept until the room for variants is used up. A slot then gets VARIANTS_MOST more whole paths with
 * the same cut path; further ones are cut. The counters are indexed by a hash: paths that
 * share a counter are cut a little earlier. */
enum { VARIANTS_MOST = 64, VARIANTS_BITS = 14 };
static uint16_t variants[1u << VARIANTS_BITS];

static inline uint64_t hash_cut(uint32_t slot, uint32_t cut, int callers) {
    return hash_more((uint64_t)cut << 32 | slot, (uint64_t)callers);
}

static uint16_t *variants_of(uint32_t slot, uint32_t cut) {
    return &variants[hash_cut(slot, cut, 0) >> (64 - VARIANTS_BITS)];
}

/* Returns whether a path with this cut path may be kept as a whole when there is no room for all paths. */
static bool variants_have_room(uint32_t slot, uint32_t cut) {
    return part_stack_has_room(__atomic_load_n(variants_of(slot, cut), __ATOMIC_RELAXED) >= VARIANTS_MOST);
}

/* Returns the part with a cut path, or with the whole path if it may be kept; NO_SLOT if there is no room
 * even for a cut one. is_whole: set. */
static uint32_t part_cut(uint32_t slot, uint32_t cut, const struct look *look, bool *is_whole) {
    int callers = __atomic_load_n(&part_cut_callers, __ATOMIC_RELAXED);
    struct part_word word = part_word(hash_cut(slot, cut, callers));
    uint32_t part = part_word_get(word);
    bool is_new = false;
    *is_whole = false;
    if (LIKELY(part))
        return part;
    if (variants_have_room(slot, cut)) {
        part = part_whole(slot, look, &is_new);
        if (is_new)
            __atomic_fetch_add(variants_of(slot, cut), 1, __ATOMIC_RELAXED);
        *is_whole = part != NO_SLOT;
        if (*is_whole)
            return part;
    }
    profile_name path = cut_path(cut, callers < 0 ? 0 : (uint32_t)callers);
    part = path ? part_stack(slot, path, callers >= 0, &is_new) : NO_SLOT;
    if (part != NO_SLOT)
        part_word_set(word, part);
    return part;
}

static uint32_t part_limited(uint32_t slot, const struct look *look, bool *is_whole) {
    struct steps steps = {.is_cut = true};
    uint32_t cut = look_path(look, &steps);
    return cut ? part_cut(slot, cut, look, is_whole) : part_of_none(look);
}

/* If there is no room for a part, returns the slot itself and counts that. */
static uint32_t part_or_slot(uint32_t part, uint32_t slot) {
    if (LIKELY(part != NO_SLOT))
        return part;
    bump_shared(&store_header()->walks.without_stack, 1);
    return slot;
}

/* Returns the part of a stack, whole or cut, or the slot itself. is_whole: set. */
static uint32_t part_of(uint32_t slot, const struct look *look, bool *is_whole) {
    bool is_new;
    uint32_t part = part_stack_has_room(true) ? part_whole(slot, look, &is_new) : NO_SLOT;
    *is_whole = part != NO_SLOT;
    return part_or_slot(*is_whole ? part : part_limited(slot, look, is_whole), slot);
}

static struct part_word part_word_of(uint32_t slot, const struct look *look) {
    return part_word(hash_of(slot, look->unloads_before, &look->walked));
}

static uint32_t part_walked(uint32_t slot, const struct look *look) {
    struct part_word word = part_word_of(slot, look);
    uint32_t part = part_word_get(word);
    bool is_whole;
    int error = errno;
    if (part)
        return part;
    part = part_of(slot, look, &is_whole);
    errno = error;
    if (part != slot && unloads_none_since(look->unloads_before))
        part_word_set(word, part);
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

/* Notes the module of the first frame that keeps no context, which is the reason why this stack is compared
 * or walked at each allocation. Frames noted lately are skipped. */
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

/* The largest number of frames that start a program, or a thread whose function is in a library; and the
 * largest number on another stack, such as a coroutine's. */
#define ROOT_MOST       3
#define ROOT_MOST_OTHER 1

static bool is_root(const void *const *frames, size_t count, const void *innermost) {
    bool is_of_thread = local.stack.high - (uintptr_t)innermost < local.stack.high - local.stack.low;
    for (size_t i = 0; i < count; i++)
        if (walk_is_signal(frames[i]))
            return false;
    return count <= (is_of_thread ? ROOT_MOST : ROOT_MOST_OTHER);
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
    struct steps whole = {0}, cut = {.is_cut = true};
    profile_name kept = record_stack(part).stack;
    bool is_equal = are_same_steps(kept, look_path(look, &whole));
    for (uint32_t callers = 0; !is_equal && callers <= PART_CUT_CALLERS; callers++)
        is_equal = are_same_steps(kept, cut_path(look_path(look, &cut), callers));
    return is_equal;
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
static void keep_in_cache(uint64_t hash, const void *frame, uint32_t key, uint32_t unloads_before) {
    uint32_t cached = stack_cache_keep(context_find(hash), frame, SIZE_MAX, key);
    if (cached != ALLOCSITE_KEY_NONE && unloads_none_since(unloads_before))
        keep_context(hash, cached);
}

/* Returns ALLOCSITE_KEY_NONE, so that the stack is walked, in a forked child that has not yet noted the
 * modules without contexts. */
uint32_t stack_key_compared(uint32_t cached, const void *frame) {
    bool is_as_kept = !has_noted_why || store_header()->walked_for;
    return is_as_kept ? stack_cache_find(cached, frame) : ALLOCSITE_KEY_NONE;
}

/* Returns the key for a caller that keeps no context. */
static __attribute__((noinline)) uint32_t key_uncertain(uint32_t slot, uint64_t hash, const void *frame) {
    struct look look;
    look_begin(&look, frame);
    uint32_t part = part_word_get(part_word_of(slot, &look));
    if (UNLIKELY(!part || !store_header()->walked_for)) {
        part = part_walked(slot, &look);
        if (look.walked.end != WALK_LOST && record_at(slot)->site)
            note_why(&look.walked);
    }
    if (part != slot)
        keep_in_cache(hash, frame, KEY(part), look.unloads_before);
    look_end(&look);
    return KEY(part);
}

/* Returns whether a context has come before. The contexts of cut paths are kept only at their second call: a
 * program that descends into a tree has millions that come once. The answer may be wrong. Then a context is
 * kept although it comes once, or is kept at a later call. */
static bool is_second_time(uint64_t hash) {
    static uint16_t once[1 << 15];
    uint16_t *place = &once[hash >> 49], tag = (uint16_t)hash;
    bool is_there = __atomic_load_n(place, __ATOMIC_RELAXED) == tag;
    __atomic_store_n(place, tag, __ATOMIC_RELAXED);
    return is_there;
}

/* Returns the key of a part with a certain stack, and keeps the context. */
static uint32_t key_certain(uint32_t part, uint32_t slot, bool is_whole, uint64_t hash,
                            uint32_t unloads_before) {
    if (part != slot && (is_whole || is_second_time(hash)) && unloads_none_since(unloads_before))
        keep_context(hash, KEY(part));
    return KEY(part);
}

static uint32_t key_of_certain(uint32_t slot, const struct look *look, uint64_t hash) {
    bool is_whole;
    uint32_t part = part_of(slot, look, &is_whole);
    return key_certain(part, slot, is_whole, hash, look->unloads_before);
}

static uint32_t key_of_other(uint32_t slot, const struct look *look, const void *frame, uint64_t hash) {
    uint32_t part = part_walked(slot, look);
    if (stacks_depth == STACKS_WHOLE && look->walked.end != WALK_LOST && record_at(slot)->site)
        note_why(&look->walked);
    if (stacks_depth == STACKS_WHOLE && part != slot)
        keep_in_cache(hash, frame, KEY(part), look->unloads_before);
    return KEY(part);
}

/* Returns the key for a stack that has nothing in common with an earlier certain one. */
static __attribute__((noinline)) uint32_t key_walked(uint32_t slot, const void *frame, uint64_t hash) {
    struct look look;
    look_begin(&look, frame);
    look.certain = context_is_certain(&look.walked, frame) ? frame : NULL;
    uint32_t key = look.certain ? key_of_certain(slot, &look, hash) : key_of_other(slot, &look, frame, hash);
    look_end(&look);
    return key;
}

STACK_CALL(uint32_t, stack_key_new, uint32_t key, const void *frame, uint64_t hash) {
    uint32_t unloads_before = unloads_begun(), slot = key_slot(key);
    bool is_whole = false;
    int error = errno;
    struct look look;
    look_known(&look, frame, unloads_before);
    uint32_t part = stacks_depth == STACKS_WHOLE ? part_of(slot, &look, &is_whole) : 0;
    key = LIKELY(part) ? key_certain(part, slot, is_whole, hash, unloads_before)
                       : key_walked(slot, frame, hash);
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
