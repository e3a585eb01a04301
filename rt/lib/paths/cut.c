/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/paths/cut.h"

#include "lib/base/macros.h"
#include "lib/base/table.h"
#include "lib/paths/stacks.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/walk/walk.h"

/* The most calls of a cut path. Longer chains of pass-through code are cut before the line. */
enum { CALLS_MOST = 16 };

struct calls {
    profile_name to[CALLS_MOST]; /* struct profile_return, innermost first */
    uint32_t count;
};

/* Indexed by the name of a return address / 4. 1: the call can be the line of an allocation. */
static struct table lines = {.element = sizeof(uint8_t), .first = 1u << 14};

static bool is_line(profile_name to) {
    const uint8_t *line = table_peek(&lines, to / 4);
    return line && __atomic_load_n(line, __ATOMIC_RELAXED);
}

static void note_line(profile_name to, const void *address) {
    uint8_t *line = walk_is_line(address) ? table_at(&lines, to / 4) : NULL;
    if (line)
        __atomic_store_n(line, 1, __ATOMIC_RELAXED);
}

static profile_name return_cut(void) {
    struct profile_return to = {.address = {PROFILE_CUT, 0}};
    return names_return(&to);
}

/* Adds the calls of a path except `but`. */
static void add_others(struct calls *calls, profile_name path, profile_name but) {
    const struct profile_step *step = names_step_at(path);
    for (; step && step->caller && calls->count < CALLS_MOST; step = names_step_at(step->caller))
        if (step->to != but)
            calls->to[calls->count++] = step->to;
}

/* Drops the calls beyond the given number of callers of the line, not counting pass-through code. */
static void cut_beyond(struct calls *calls, uint32_t callers) {
    uint32_t lines = 0, i = 0;
    while (i < calls->count && lines <= callers)
        lines += is_line(calls->to[i++]);
    calls->count = i;
}

static profile_name path_of(const struct calls *calls) {
    bool is_new = false;
    struct profile_step step = {0, return_cut()};
    profile_name path = step.to ? names_step(&step, true, &is_new) : 0;
    for (uint32_t i = calls->count; path && i > 0; i--) {
        step = (struct profile_step){path, calls->to[i - 1]};
        is_new = false;
        path = names_step(&step, true, &is_new);
    }
    return path;
}

profile_name cut_shortened(profile_name path, uint32_t callers) {
    struct calls calls = {.count = 0};
    add_others(&calls, path, 0);
    cut_beyond(&calls, callers);
    return path_of(&calls);
}

static profile_name path_on(profile_name caller, const void *address, uint32_t unloads_before) {
    struct calls calls = {.to = {steps_return(address, unloads_before)}, .count = 1};
    if (!calls.to[0])
        return 0;
    note_line(calls.to[0], address);
    add_others(&calls, caller, calls.to[0]);
    cut_beyond(&calls, PART_CUT_CALLERS);
    return path_of(&calls);
}

struct cut_made cut_made[1u << CUT_MADE_BITS];

COLD profile_name cut_make(profile_name caller, const void *address, uint32_t unloads_before) {
    struct cut_made *place = cut_place(caller, address, unloads_before);
    profile_name path = path_on(caller, address, unloads_before);
    if (!path || !unloads_none_since(unloads_before))
        return path;
    uint64_t paths = (uint64_t)path << 32 | caller;
    __atomic_store_n(&place->paths, paths, __ATOMIC_RELAXED);
    __atomic_store_n(&place->address, cut_from(address, unloads_before) ^ paths * CUT_MIX, __ATOMIC_RELAXED);
    return path;
}
