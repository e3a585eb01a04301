/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What sites and their parts with stacks allocated in each phase. */
#include "dump/profile/phases.h"

#include "dump/base/memory.h"

#include <stdlib.h>

/* 0: none, or not known. */
static profile_name phase_of(const struct profile_areas *areas, uint32_t number) {
    const unsigned char *at = profile_element(areas, PROFILE_BLOCKS, number);
    struct profile_block block = {.phase = 0};
    if (at)
        profile_copy(&block, at, sizeof block);
    return block.phase;
}

void profile_phases_want(struct profile_sweep *sweep) {
    for (size_t i = 0; i < sweep->flow_count && !sweep->areas->header.resets; i++)
        sweep->wants_gains |= phase_of(sweep->areas, sweep->flows[i].block) != 0;
}

void profile_phases_put(struct profile_phases *phases, const struct report_phase *phase, size_t row,
                        size_t stack) {
    memory_grow(&phases->list, phases->count, &phases->room, sizeof *phases->list);
    memory_grow(&phases->places, phases->count, &phases->place_room, sizeof *phases->places);
    phases->places[phases->count] = (struct profile_phase_place){row, stack};
    phases->list[phases->count++] = *phase;
}

void profile_phases_add(struct profile_phases *phases, const struct profile_sweep *sweep,
                        struct profile_names *names, size_t row, size_t stack) {
    for (size_t i = 0; i < sweep->gain_count; i++) {
        const struct profile_gain *gain = &sweep->gains[i];
        const char *phase = profile_name_at(names, phase_of(sweep->areas, gain->block));
        const struct report_phase part = {.phase = phase, .calls = gain->blocks, .bytes = gain->bytes};
        if (phase)
            profile_phases_put(phases, &part, row, stack);
    }
}

void profile_phases_settle(struct profile_phases *phases, struct report_site *rows,
                           struct report_stack *stacks) {
    for (size_t i = 0; i < phases->count; i++) {
        const struct profile_phase_place *place = &phases->places[i];
        phases->list[i].site = &rows[place->row];
        phases->list[i].stack = place->stack == SIZE_MAX ? NULL : &stacks[place->stack];
    }
}

void profile_phases_free(struct profile_phases *phases) {
    free(phases->list);
    free(phases->places);
}
