/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of slots by stack. */
#include "lib/bill/stacks.h"

#include "format.h"
#include "lib/base/descriptors.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/bill/listed.h"
#include "lib/who/modules.h"
#include "lib/who/registry.h"

#include "base/hash.h"
#include "lib/base/os.h"
#include "lib/store/names.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"
#include "lib/who/callers.h"
#include "lib/who/descriptor.h"
#include "lib/who/parts.h"
#include "lib/who/unloads.h"
#include "model/filter.h"
#include "model/options.h"

#include <errno.h>
#include <string.h>

uint32_t stacks_depth;
static uint32_t kept;      /* frames */
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

/* Parts of backing keep them as what they are a part of. */
static void want_stacks(struct record *record) {
    if (record->what != PROFILE_SITE && record->what != PROFILE_CALLER && record->what != PROFILE_MODULE)
        return;
    record->keeps_stacks = kept && (!*wanted || stack_sites_select(wanted, record));
    record->is_listed = record->what != PROFILE_MODULE && listed_has(record);
}

/* Slots that were there before the options were read keep stacks from now on. */
void stacks_begin(uint32_t depth, const char *patterns, const char *list) {
    bool has_list = listed_begin(list);
    cache = depth ? os_map(sizeof *cache << CACHE_BITS, OS_FORK_KEEPS) : NULL;
    depth = cache ? depth : 0;
    if (!depth && !has_list)
        return;
    for (uint32_t i = 0; i < depth; i++)
        factors[i] = hash_more(i ? factors[i - 1] : HASH_FIRST, i) | 1;
    wanted = patterns;
    kept = depth;
    stacks_depth = depth ? depth : 1;
    record_want_stacks = want_stacks;
    for (uint32_t slot = 1; slot < record_count(); slot++)
        record_keep_stacks(slot);
    callers_forget();
}

struct profile_walks stacks_walks(void) {
    struct profile_walks walks = store_header()->walks;
    walks.depth = kept;
    return walks;
}

static void note_walk(const struct walked *walked) {
    struct profile_walks *walks = &store_header()->walks;
    walks->depth = kept;
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

/* A callback's allocations at sites of its own are not the scope's, as backing is, which has another slot. */
static inline const void *beyond_for(uint32_t slot) {
    bool is_of_scope = local.scope.active && (slot == local.scope.slot || local.custom);
    return is_of_scope ? local.scope.beyond : NULL;
}

static inline void look_up(struct look *look, uint32_t slot, const void *frame, const void *beyond) {
    struct walked *walked = &look->walked;
    walked->count = walk_stack_from(frame, walked->frames, kept, beyond, &walked->told);
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
    if (!kept || record_at(slot)->is_listed)
        return ALLOCSITE_KEY_NONE;
    look_up(&look, slot, frame, beyond_for(slot));
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
    const void *frame = __builtin_frame_address(0), *beyond = beyond_for(slot);
    const struct record *record = record_at(slot);
    if (record && record->is_listed)
        record = record_at(slot = listed_caller(slot, frame, beyond));
    if (!record || !record->keeps_stacks)
        return slot;
    struct look look;
    look_up(&look, slot, frame, beyond);
    uint32_t part = part_seen(&look);
    part = part ? part : find_part(slot, &look);
    if (part == slot)
        __atomic_fetch_add(&store_header()->walks.without_stack, 1, __ATOMIC_RELAXED);
    return part;
}

/* ---- Matching sites with stack_sites. */

static bool is_site(const char *pattern, const struct allocsite_site *site) {
    struct place at = descriptor_place(&site->scope, site->line, site->column);
    if (filter_is_id(pattern, site->hash) || filter_is_name(pattern, descriptor_request(site, false)) ||
        filter_is_name(pattern, descriptor_request(site, true)) || filter_is_place(pattern, &at))
        return true;
    for (const struct allocsite_frame *frame = descriptor_frame(&site->caller); frame;
         frame = descriptor_frame(&frame->caller)) {
        at = descriptor_place(&frame->scope, frame->line, frame->column);
        if (filter_is_place(pattern, &at))
            return true;
    }
    return false;
}

/* Returns what is behind it. */
static const char *take_pattern(const char *patterns, char pattern[OPTIONS_PATH_SIZE]) {
    size_t length = strcspn(patterns, ",");
    memcpy(pattern, patterns, length);
    pattern[length] = '\0';
    return patterns + length + (patterns[length] == ',');
}

/* Which patterns have matched something; those behind the 64th are not told of. */
static uint64_t matched;

bool stack_sites_select(const char *patterns, const struct record *record) {
    char pattern[OPTIONS_PATH_SIZE];
    uint64_t these = 0;
    bool is_selected = false;
    for (unsigned number = 0; *patterns; number++) {
        patterns = take_pattern(patterns, pattern);
        if (!(record->site ? is_site(pattern, record->site) : filter_is_path(pattern, record->module->path)))
            continue;
        is_selected = true;
        these |= number < 64 ? UINT64_C(1) << number : 0;
    }
    __atomic_fetch_or(&matched, these, __ATOMIC_RELAXED);
    return is_selected;
}

void stack_sites_tell(void) {
    char pattern[OPTIONS_PATH_SIZE];
    const char *patterns = stacks_depth ? wanted : "";
    for (unsigned number = 0; *patterns && number < 64; number++) {
        patterns = take_pattern(patterns, pattern);
        if (!(matched >> number & 1))
            os_say("stack_sites: nothing that allocated matches ", pattern);
    }
}
