/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of slots by stack. */
#include "stacks.h"
#include "callers.h"
#include "hash.h"
#include "names.h"
#include "options.h"
#include "os.h"
#include "parts.h"
#include "stack_sites.h"
#include "store.h"
#include "unloads.h"
#include "walk.h"

#include <errno.h>

uint32_t stacks_depth;
static const char *wanted; /* patterns */

/* The parts of stacks that were here: what the hash has above its index, and the part's slot. A word is read
 * whole, so it needs no lock. */
#define CACHE_BITS 18
static uint64_t *cache;

/* Of the hash, one for each frame: random. */
#define HASH_FIRST 0xA0761D6478BD642Fu
static uint64_t factors[OPTIONS_STACK_MOST];

struct walked {
    const void *frames[OPTIONS_STACK_MOST];
    size_t count;
    struct walk_told told;
};

/* Slots that were there before the options were read keep stacks from now on. */
void stacks_begin(uint32_t depth, const char *patterns) {
    cache = depth ? os_map(sizeof *cache << CACHE_BITS, OS_FORK_KEEPS) : NULL;
    if (!cache)
        return;
    for (uint32_t i = 0; i < depth; i++)
        factors[i] = hash_more(i ? factors[i - 1] : HASH_FIRST, i) | 1;
    wanted = patterns;
    stacks_depth = depth;
    for (uint32_t slot = 1; slot < record_count(); slot++)
        record_keep_stacks(slot);
    callers_forget();
}

bool stacks_want(const struct record *record) {
    bool is_whole =
        record->what == PROFILE_SITE || record->what == PROFILE_CALLER || record->what == PROFILE_MODULE;
    return stacks_depth && is_whole && (!*wanted || stack_sites_select(wanted, record));
}

struct profile_walks stacks_walks(void) {
    struct profile_walks walks = store_header()->walks;
    walks.depth = stacks_depth;
    return walks;
}

static void note_walk(const struct walked *walked) {
    struct profile_walks *walks = &store_header()->walks;
    walks->depth = stacks_depth;
    __atomic_fetch_add(&walks->by_frame_pointer, walked->told.by_pointer, __ATOMIC_RELAXED);
    __atomic_fetch_add(&walks->by_table, walked->count - walked->told.by_pointer, __ATOMIC_RELAXED);
    __atomic_fetch_add(&walks->ended_early, walked->told.end == WALK_LOST, __ATOMIC_RELAXED);
}

/* Multilinear: the products do not wait for one another. */
static inline uint64_t hash_of(uint32_t slot, uint32_t unloads_before, const struct walked *walked) {
    unsigned __int128 sum = (unsigned __int128)((uint64_t)unloads_before << 32 | slot) * HASH_FIRST;
    for (size_t i = 0; i < walked->count; i++)
        sum += (unsigned __int128)(uintptr_t)walked->frames[i] * factors[i];
    return hash_more((uint64_t)sum, (uint64_t)(sum >> 64));
}

/* 0: no room for more, or not known and none that may be added. */
static profile_name step_of(const void *address, profile_name caller, bool may_add) {
    struct module_address at = module_address(address);
    struct profile_step step = {.caller = caller,
                                .module = !at.module || at.module->slot == NO_SLOT ? 0 : at.module->slot,
                                .address = {(uint32_t)at.address, (uint32_t)(at.address >> 32)}};
    return names_step(&step, may_add);
}

static uint32_t part_for(uint32_t slot, const struct walked *walked) {
    bool has_room = part_stack_has_room(); /* else steps of a new stack would be for nothing */
    profile_name step = 0;
    for (size_t i = walked->count; i--;) {
        step = step_of(walked->frames[i], step, has_room);
        if (!step)
            return NO_SLOT;
    }
    bool is_new;
    uint32_t part = part_stack(slot, step, &is_new);
    if (is_new)
        note_walk(walked);
    return part;
}

#define SLOT_MASK ((UINT64_C(1) << SLOT_BITS) - 1)

/* Where the stack of whoever called the runtime is looked up. */
struct look {
    struct walked walked;
    uint32_t unloads_before;
    uint64_t *word, tag;
};

/* What a callback of the program allocates at sites of its own is not the scope's, as backing is, which has
 * another slot. */
static inline const void *beyond_for(uint32_t slot) {
    bool is_of_scope = local.scope.active && (slot == local.scope.slot || local.custom);
    return is_of_scope ? local.scope.beyond : NULL;
}

static inline void look_up(struct look *look, uint32_t slot, const void *frame) {
    struct walked *walked = &look->walked;
    const void *beyond = beyond_for(slot);
    walked->count = walk_stack_from(frame, walked->frames, stacks_depth, beyond, &walked->told);
    look->unloads_before = unloads_begun();
    uint64_t hash = hash_of(slot, look->unloads_before, walked);
    look->word = &cache[hash & ((1u << CACHE_BITS) - 1)];
    look->tag = hash & ~SLOT_MASK;
}

/* 0: it is not in the cache. */
static inline uint32_t part_seen(const struct look *look) {
    uint64_t entry = __atomic_load_n(look->word, __ATOMIC_RELAXED);
    return (entry & ~SLOT_MASK) == look->tag ? (uint32_t)(entry & SLOT_MASK) : 0;
}

uint32_t stack_key_seen(uint32_t slot, const void *frame) {
    struct look look;
    look_up(&look, slot, frame);
    uint32_t part = part_seen(&look);
    return part && part != slot ? KEY(part) : ALLOCSITE_KEY_NONE;
}

static uint32_t find_part(uint32_t slot, const struct look *look) {
    int error = errno;
    uint32_t part = part_for(slot, &look->walked);
    errno = error;
    if (part == NO_SLOT)
        part = slot;
    if (unloads_none_since(look->unloads_before))
        __atomic_store_n(look->word, look->tag | part, __ATOMIC_RELAXED);
    return part;
}

COLD uint32_t stack_slot_walked(uint32_t slot) {
    const struct record *record = record_at(slot);
    if (!record || !record->keeps_stacks)
        return slot;
    struct look look;
    look_up(&look, slot, __builtin_frame_address(0));
    uint32_t part = part_seen(&look);
    part = part ? part : find_part(slot, &look);
    if (part == slot)
        __atomic_fetch_add(&store_header()->walks.without_stack, 1, __ATOMIC_RELAXED);
    return part;
}
