/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling frames of a profile. */
#include "profile_stacks.h"
#include "grow.h"

static bool add_frame(struct profile_stacks *stacks, const struct profile_views *views,
                      const struct profile_step *step) {
    if (!grow(&stacks->frames, stacks->frame_count, &stacks->frame_room, sizeof *stacks->frames))
        return false;
    stacks->frames[stacks->frame_count++] = (struct report_frame){
        .module = step->module ? profile_module_at(views->modules, step->module) : NULL,
        .address = step->address[0] | (uint64_t)step->address[1] << 32,
    };
    return true;
}

static bool add_frames(struct profile_stacks *stacks, const struct profile_views *views, profile_name step) {
    struct profile_step copy;
    for (size_t count = 0; step; count++) {
        if (count == PROFILE_STEPS_MAX || !profile_step_read(views->names, step, &copy)) {
            views->names->wrong++;
            return true;
        }
        if (!add_frame(stacks, views, &copy))
            return false;
        step = copy.caller;
    }
    return true;
}

bool profile_stacks_add(struct profile_stacks *stacks, const struct profile_views *views, profile_name step,
                        const struct counters *counters, size_t row) {
    size_t before = stacks->frame_count;
    if (!grow(&stacks->list, stacks->count, &stacks->room, sizeof *stacks->list) ||
        !grow(&stacks->rows, stacks->count, &stacks->row_room, sizeof *stacks->rows) ||
        !add_frames(stacks, views, step))
        return false;
    stacks->rows[stacks->count] = row;
    stacks->list[stacks->count++] =
        (struct report_stack){.frame_count = stacks->frame_count - before, .counters = *counters};
    return true;
}

void profile_stacks_settle(struct profile_stacks *stacks, struct report_site *rows) {
    size_t first = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        struct report_stack *stack = &stacks->list[i];
        stack->site = &rows[stacks->rows[i]];
        stack->frames = stack->frame_count ? stacks->frames + first : NULL;
        first += stack->frame_count;
    }
}

void profile_stacks_free(struct profile_stacks *stacks) {
    free(stacks->list);
    free(stacks->rows);
    free(stacks->frames);
}
