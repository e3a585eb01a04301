/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling frames of a profile. */
#ifndef ALLOCSITE_PROFILE_STACKS_H
#define ALLOCSITE_PROFILE_STACKS_H

#include "profile_views.h"

/* Longer stacks are cut: the runtime keeps no more, but a damaged one may be a circle. */
#define PROFILE_STEPS_MAX 256

struct profile_stacks {
    struct report_stack *list; /* their rows are not set yet, nor are the frames, which may still move */
    size_t *rows;              /* number of the row of each */
    struct report_frame *frames;
    size_t count, room, row_room, frame_count, frame_room;
};

/* Adds a stack, which has those counters, of the row with that number. False: out of memory. */
bool profile_stacks_add(struct profile_stacks *, const struct profile_views *, profile_name step,
                        const struct counters *, size_t row);

/* Now that nothing moves any more: sets rows and frames. */
void profile_stacks_settle(struct profile_stacks *, struct report_site *rows);
void profile_stacks_free(struct profile_stacks *);

#endif
