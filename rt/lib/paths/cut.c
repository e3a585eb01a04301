/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/paths/cut.h"

#include "base/hash.h"
#include "lib/base/cache.h"
#include "lib/base/macros.h"
#include "lib/base/table.h"
#include "lib/paths/stacks.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/walk/walk.h"

#include <string.h>

/* The most calls of a cut path. Longer chains of pass-through code are cut before the line. */
enum { CALLS_MOST = 16 };

/* A name is a multiple of 4. */
#define CALL_IS_LINE 1u

/* Innermost first, followed by zeros: the name of a return address (struct profile_return), with CALL_IS_LINE
 * if the call can be the line of an allocation. */
struct calls {
    uint32_t to[CALLS_MOST];
};

/* All cut paths, by number. Number 0 is not used. They take at most 16 MiB. */
enum { NUMBER_BITS = 18 };
static struct table cuts = {.element = sizeof(struct calls), .first = 1u << 10};
static struct index numbers = INDEX_OF(NUMBER_BITS, 1u << 10);
static uint32_t cut_count;

static bool is_cut(uint32_t number, const void *wanted) {
    return memcmp(table_peek(&cuts, number), wanted, sizeof(struct calls)) == 0;
}

static uint64_t hash_calls(const struct calls *calls) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < CALLS_MOST && calls->to[i]; i += 2)
        hash = hash_more(hash ^ (uint64_t)calls->to[i] << 32, calls->to[i + 1]);
    return hash;
}

static uint32_t number_of(const struct calls *calls) {
    struct index_seek seek = {.hash = hash_calls(calls), .same = is_cut, .key = calls};
    uint32_t found = index_find(&numbers, &seek);
    if (found || __atomic_load_n(&cut_count, __ATOMIC_RELAXED) >= (1u << NUMBER_BITS) - 1)
        return found;
    uint32_t fresh = __atomic_add_fetch(&cut_count, 1, __ATOMIC_RELAXED);
    struct calls *place = table_at(&cuts, fresh);
    if (!place)
        return 0;
    *place = *calls;
    return index_add(&numbers, &seek, fresh);
}

static uint32_t number_on(uint32_t caller, const void *address, uint32_t unloads_before) {
    struct calls calls = {{steps_return(address, unloads_before)}};
    const uint32_t *others = caller ? ((struct calls *)table_peek(&cuts, caller))->to : calls.to + 1;
    if (!calls.to[0])
        return 0;
    uint32_t is_line = walk_is_line(address) ? CALL_IS_LINE : 0, count = 1, lines = is_line;
    calls.to[0] |= is_line;
    for (uint32_t i = 0; count < CALLS_MOST && others[i] && lines <= PART_CUT_CALLERS; i++) {
        if ((others[i] | CALL_IS_LINE) == (calls.to[0] | CALL_IS_LINE))
            continue;
        calls.to[count++] = others[i];
        lines += others[i] & CALL_IS_LINE;
    }
    return number_of(&calls);
}

struct cache_entry cut_callees[1u << CUT_CALLEES_BITS];

COLD uint32_t cut_make(uint32_t caller, const void *address, uint32_t unloads_before, struct cache_key key) {
    uint32_t cut = number_on(caller, address, unloads_before);
    if (cut && unloads_none_since(unloads_before))
        cache_put(cache_at(cut_callees, CUT_CALLEES_BITS, key), key, cut);
    return cut;
}

profile_name cut_path(uint32_t cut, uint32_t callers) {
    const struct calls *calls = cut ? table_peek(&cuts, cut) : NULL;
    uint32_t count = 0, lines = 0;
    while (calls && count < CALLS_MOST && calls->to[count] && lines <= callers)
        lines += calls->to[count++] & CALL_IS_LINE;
    struct profile_return outermost = {.address = {PROFILE_CUT, 0}};
    struct profile_step step = {0, count ? names_return(&outermost) : 0};
    while (step.to) {
        bool is_new = false;
        step.caller = names_step(&step, true, &is_new);
        step.to = step.caller && count ? calls->to[--count] & ~CALL_IS_LINE : 0;
    }
    return step.caller;
}
